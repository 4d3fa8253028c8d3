// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Resources of an SM that a tile of the register-blocked rungs needs.
#include "plan/register_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "device/common/pipeline.hpp"
#include "device/common/tile.hpp"
#include "device/nvidia/fragment.hpp"
#include "plan/choose.hpp"

namespace rooftile {
namespace {

using detail::blocked_for_registers, detail::is_built, detail::panel_bytes, detail::panel_pad,
    detail::stage_bytes, detail::stages, detail::teams_per_sm;

constexpr std::size_t kib = 1024;
constexpr Type fp32 = Type::fp32, fp64 = Type::fp64, bits16 = Type::bf16;
constexpr const Rung& pipelined = rung_of(Kernel::pipelined);
constexpr const Rung& tensor_core = rung_of(Kernel::tensor_core);
constexpr const Rung& register_blocked = rung_of(Kernel::register_blocked);
constexpr TileShape wide{128, 256, 8, 8, 16}, usual{128, 128, 16, 8, 8}, small{32, 64, 16, 4, 4};

/// Calls f(rung, path, tile, type) for every built tile.
template <class F>
void for_each_built(const F& f) {
  for (const Rung& rung : ladder) {
    if (!rung.has_panels()) continue;
    for (const Path path : {Path::native, Path::portable}) {
      if (!rung.on(path)) continue;
      for (const ComputeMode math : rung.modes_on(path)) {
        for (const TileShape tile : rung.tiles) {
          INFO(rung.name << ' ' << to_string(path) << ' ' << to_string(tile) << ' ' << to_string(math));
          const Type type = type_of(math);
          if (is_built(rung, path, tile, type)) f(rung, path, tile, type);
        }
      }
    }
  }
}

TEST_CASE("tiles of several elements a thread are blocked for registers", "[register_blocks]") {
  STATIC_REQUIRE(blocked_for_registers(usual));
  STATIC_REQUIRE(blocked_for_registers({8, 8, 8, 1, 2}));
  STATIC_REQUIRE_FALSE(blocked_for_registers(square_tile(32)));
  STATIC_REQUIRE_FALSE(blocked_for_registers(cta(4, 64)));
}

TEST_CASE("a thread's part of C takes half of its registers at most", "[register_blocks]") {
  for_each_built([](const Rung&, Path, TileShape s, Type type) {
    CHECK(static_cast<std::size_t>(s.tm * s.tn) * std::max<std::size_t>(size_of(type), 4) <= 512);
  });
}

TEST_CASE("as many teams share an SM as their registers allow", "[register_blocks]") {
  STATIC_REQUIRE(teams_per_sm(square_tile(16), fp32) == 0);  // the compiler decides
  STATIC_REQUIRE(teams_per_sm(wide, fp32) == 1);
  STATIC_REQUIRE(teams_per_sm(usual, fp32) == 2);
  STATIC_REQUIRE(teams_per_sm(usual, fp64) == 1);
  STATIC_REQUIRE(teams_per_sm({64, 64, 16, 8, 4}, fp32) == 4);
  STATIC_REQUIRE(teams_per_sm({64, 64, 16, 8, 8}, fp32) == 6);
  STATIC_REQUIRE(teams_per_sm({64, 64, 16, 8, 8}, fp64) == 4);
  STATIC_REQUIRE(teams_per_sm({64, 128, 16, 8, 4}, fp64) == 1);
  STATIC_REQUIRE(teams_per_sm({64, 64, 16, 4, 4}, fp64) == 2);
  STATIC_REQUIRE(teams_per_sm({32, 64, 16, 4, 4}, fp64) == 3);
  STATIC_REQUIRE(teams_per_sm({32, 32, 16, 4, 2}, Type::cfp64) == 2);
  STATIC_REQUIRE(teams_per_sm({32, 16, 16, 4, 1}, Type::cfp64) == 3);
  STATIC_REQUIRE(teams_per_sm(small, fp32) == 4);
  STATIC_REQUIRE(teams_per_sm({128, 128, 32, 16, 8}, bits16) == 2);
  for_each_built([](const Rung&, Path, TileShape s, Type type) {
    const int threads = teams_per_sm(s, type) * s.threads();
    CHECK(threads >= 1);
    CHECK(threads <= 1024);
    // The part of C alone must fit the registers of an SM.
    CHECK(static_cast<std::size_t>(threads * s.tm * s.tn) * std::max<std::size_t>(size_of(type), 4) <=
          65536 * 4);
  });
}

TEST_CASE("a panel's lines are kept apart in the banks", "[register_blocks]") {
  STATIC_REQUIRE(stage_bytes(pipelined, usual, fp32) == 4 * 16 * (132 + 132));
  STATIC_REQUIRE(stage_bytes(pipelined, wide, fp32) == 4 * 8 * (132 + 260));
  STATIC_REQUIRE(stage_bytes(pipelined, usual, fp64) == 2 * stage_bytes(pipelined, usual, fp32));
  // Panels for matrix instructions: lines along x, (16,32 + 4), or along k, (32,16 + 4). The larger one
  // counts.
  STATIC_REQUIRE(stage_bytes(tensor_core, small, fp64) == 8 * (32 * 20 + 64 * 20));
  STATIC_REQUIRE(stage_bytes(tensor_core, small, fp32) == 4 * (32 * 20 + 64 * 20));
  STATIC_REQUIRE(stage_bytes(tensor_core, {64, 64, 32, 8, 4}, bits16) == 2 * 2 * 64 * 40);
}

/// The 4-byte bank of element (k,x).
int bank(bool mn_major, int line, int k, int x, Type type) {
  return static_cast<int>(static_cast<std::size_t>(mn_major ? k * line + x : x * line + k) * size_of(type) /
                          4 % 32);
}

TEST_CASE("what lanes read together of a fragment lies in different banks", "[register_blocks]") {
  for (const bool mn_major : {false, true}) {
    for (const int length : {16, 32, 64, 128, 256}) {
      // ldmatrix reads eight 16-byte lines: in 16 bits in either direction, in tf32 along k.
      for (const Type type : {bits16, fp32}) {
        const int line = length + panel_pad(true, type, mn_major);
        if (type == fp32 && mn_major) continue;
        std::set<int> banks;
        for (int i = 0; i < 8; ++i)
          banks.insert(bank(mn_major, line, mn_major ? i : 0, mn_major ? 0 : i, type) / 4);
        INFO(mn_major << ' ' << length << ' ' << to_string(type));
        CHECK(banks.size() == 8);
      }
      if (!mn_major) continue;
      // Single elements: lane 4g+t reads (t,g).
      const int line = length + panel_pad(true, fp32, mn_major);
      std::set<int> banks;
      for (int lane = 0; lane < 32; ++lane) banks.insert(bank(mn_major, line, lane % 4, lane / 4, fp32));
      INFO(length);
      CHECK((banks.size() == 32 || length < 32));
    }
  }
}

/// Lanes 4g+t must read elements (t,g) from different banks, in groups of lanes that together fill the banks.
template <class T, TileShape shape>
void check_banks_of_fragments() {
  using Ring = detail::PanelRing<T, Tile<shape>, 2, true, detail::Major::k, detail::Major::x>;
  constexpr int lanes = 128 / static_cast<int>(sizeof(T)), warp = sizeof(T) == 8 ? 16 : 32;
  const auto check = []<class Panel>(Panel*) {
    for (int k = 0; k < shape.bk; k += 4) {
      for (int x = 0; x < Panel::BX; x += warp / 4) {
        for (int first = 0; first < warp; first += lanes) {
          std::set<int> banks;
          for (int lane = first; lane < first + lanes; ++lane)
            banks.insert(Panel::offset(k + lane % 4, x + detail::line_of_fragment<T>(lane / 4)) % lanes);
          INFO(shape.bk << ' ' << k << ' ' << x << ' ' << first);
          CHECK(banks.size() == lanes);
        }
      }
    }
  };
  check(static_cast<typename Ring::PanelA*>(nullptr));
  check(static_cast<typename Ring::PanelB*>(nullptr));
}

TEST_CASE("lanes 4g+t read an element (t,g) of fp64 and of complex numbers from different banks",
          "[register_blocks]") {
  check_banks_of_fragments<double, TileShape{64, 128, 16, 8, 4}>();
  check_banks_of_fragments<complex<float>, TileShape{64, 128, 16, 8, 8}>();
  check_banks_of_fragments<complex<double>, TileShape{64, 64, 16, 4, 4}>();
}

TEST_CASE("a fragment of complex fp64 has each of eight lines once, a real one its own",
          "[register_blocks]") {
  std::set<int> lines;
  for (int g = 0; g < 8; ++g) {
    lines.insert(detail::line_of_fragment<complex<double>>(g));
    CHECK(detail::line_of_fragment<double>(g) == g);
  }
  CHECK(lines == std::set<int>{0, 1, 2, 3, 4, 5, 6, 7});
  for (int t = 0; t < 4; ++t) {  // a lane's elements in a row of C
    for (int e = 0; e < 2; ++e) {
      using detail::line_of_fragment;
      using T = complex<double>;
      CHECK(line_of_fragment<T>(2 * t + e) == line_of_fragment<T>(2 * t) + line_of_fragment<T>(e));
    }
  }
}

TEST_CASE("threads that copy complex fp32 along k write to different banks", "[register_blocks]") {
  using Ring = detail::PanelRing<complex<float>, Tile<TileShape{64, 64, 8, 8, 4}>, 2, false>;
  std::set<int> banks;  // for half a warp: 16 elements of 8 bytes fill them
  for (int rank = 0; rank < 16; ++rank) banks.insert(Ring::PanelA::offset(rank % 8, rank / 8) % 16);
  CHECK(banks.size() == 16);
}

TEST_CASE("matrix instructions multiply elements of fp32 where they are taken for tf32",
          "[register_blocks]") {
  STATIC_REQUIRE(detail::has_fragments(tensor_core, fp64));
  STATIC_REQUIRE(detail::has_fragments(tensor_core, fp32));
  STATIC_REQUIRE(detail::has_fragments(tensor_core, bits16));
  STATIC_REQUIRE_FALSE(detail::has_fragments(pipelined, fp32));
  for (const Type type : {fp64, fp32, bits16}) {
    CHECK(detail::has_fragments(rung_of(Kernel::stream_k_tensor_core), type));
    CHECK_FALSE(detail::has_fragments(rung_of(Kernel::stream_k), type));
  }
}

TEST_CASE("a panel of the matrix instructions has two of their steps", "[register_blocks]") {
  // The portable path excludes tiles with fewer columns than AMD's matrix instructions need.
  CHECK(is_built(tensor_core, Path::native, {32, 16, 16, 4, 1}, Type::cfp64));
  CHECK_FALSE(is_built(tensor_core, Path::portable, {32, 16, 16, 4, 1}, Type::cfp64));
  for_each_built([](const Rung& rung, Path, TileShape tile, Type type) {
    if (!detail::has_fragments(rung, type)) return;
    const bool twice = rooftile::is_complex(type) || type == fp64;  // a step is twice as long
    CHECK(static_cast<std::size_t>(tile.bk) * size_of(type) == (type == Type::cfp64 ? 256U
                                                                : twice             ? 128U
                                                                                    : 64U));
  });
}

TEST_CASE("a kernel has the stages of its row, and at least those of the rung", "[register_blocks]") {
  STATIC_REQUIRE(stages(register_blocked, {128, 128, 8, 8, 8}, fp32) == 1);
  STATIC_REQUIRE(stages(pipelined, wide, fp32) == 4);
  STATIC_REQUIRE(stages(pipelined, usual, fp64) == 4);
  STATIC_REQUIRE(stages(pipelined, usual, fp32, false) == 2);
  STATIC_REQUIRE(stages(pipelined, usual, fp64, false) == 0);
  STATIC_REQUIRE(stages(tensor_core, {64, 128, 16, 8, 4}, fp64) == 4);
  STATIC_REQUIRE(stages(tensor_core, {64, 128, 16, 8, 4}, fp64, false) == 1);
  for_each_built([](const Rung& rung, Path, TileShape tile, Type type) {
    const int number = stages(rung, tile, type);
    CHECK(number >= rung.min_stages);
    const std::size_t panels = static_cast<std::size_t>(number) * stage_bytes(rung, tile, type);
    CHECK(
        panel_bytes(rung, tile, type) ==
        (rung.split_k == SplitK::cluster ? std::max(panels, detail::cluster_sum_bytes(tile, type)) : panels));
  });
}

TEST_CASE("teams have their part of an SM's memory, or what Kokkos leaves of 48 KiB", "[register_blocks]") {
  STATIC_REQUIRE(detail::panel_memory(usual) == 48 * kib - 8 * (256 + 2) - 32);
  STATIC_REQUIRE(teams_per_sm(usual, fp32) == 2);
}

TEST_CASE("panels fit what the path's teams have", "[register_blocks]") {
  for_each_built([](const Rung& rung, Path path, TileShape tile, Type type) {
    // All teams on an SM of compute capability 8.0. The driver reserves 1 KiB for each.
    const std::size_t bytes = panel_bytes(rung, tile, type);
    const auto teams = static_cast<std::size_t>(teams_per_sm(tile, type));
    CHECK(teams * (bytes + kib) <= 164 * kib);
    CHECK(bytes <= 163 * kib);
    if (path == Path::portable && rung.split_k != SplitK::cluster) {
      // On AMD GPUs, plus Kokkos' alignment and its memory for a team's reduction.
      const std::size_t waiting = panel_bytes(rung, tile, type, false);
      CHECK((waiting > 0 && waiting + 2 * 16 + 8 * static_cast<std::size_t>(tile.threads() + 2) <= 48 * kib));
    }
  });
}

TEST_CASE("tiles that are not blocked are always built, others where they fit", "[register_blocks]") {
  STATIC_REQUIRE(is_built(rung_of(Kernel::tiled), Path::portable, square_tile(32), fp64));
  STATIC_REQUIRE(is_built(pipelined, Path::native, wide, fp32));
  STATIC_REQUIRE_FALSE(is_built(pipelined, Path::native, wide, fp64));
  STATIC_REQUIRE_FALSE(is_built(pipelined, Path::portable, usual, fp64));
  // Every rung has a tile for each of its modes on each of its paths.
  for (const Rung& rung : ladder) {
    for (const Path path : {Path::native, Path::portable}) {
      if (!rung.on(path) || rung.tiles.empty()) continue;
      for (const ComputeMode math : rung.modes_on(path)) {
        INFO(rung.name << ' ' << to_string(path) << ' ' << to_string(math));
        CHECK(std::any_of(rung.tiles.begin(), rung.tiles.end(),
                          [&](TileShape tile) { return is_built(rung, path, tile, type_of(math)); }));
      }
    }
  }
}

}  // namespace
}  // namespace rooftile
