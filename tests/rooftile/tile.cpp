// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/tile.hpp"

#include <cstddef>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "device/common/tile.hpp"
#include "plan/block_limits.hpp"
#include "plan/choose.hpp"
#include "plan/default_tile.hpp"
#include "plan/refusal.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/ladder.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using testing::h200, testing::kib;

constexpr std::size_t of_fp32 = 4, of_fp64 = 8;  // bytes

/// The error of a chooser of square tiles on a device. Empty if there is none.
template <class Chooser>
std::string fault(const Chooser& widest, BlockLimits limits, std::size_t element_size) {
  const auto fits = [&](int w) {
    return w <= max_run_time_tile && w * w <= limits.threads &&
           2 * static_cast<std::size_t>(w * w) * element_size <= limits.shared_bytes;
  };
  const int w = widest(limits, element_size).bm;
  if (w < 1 || (w & (w - 1)) != 0) return "no power of two";
  if (w > 1 && !fits(w)) return "does not fit";
  if (fits(2 * w)) return "a wider one fits";
  return {};
}

/// Counts the devices with errors, near every threshold of threads and shared memory.
template <class Chooser>
int faulty_devices(const Chooser& widest) {
  int faults = 0;
  for (const std::size_t element_size : {of_fp32, of_fp64}) {
    for (int w = 1; w <= 64; w *= 2) {
      for (int v = 1; v <= 64; v *= 2) {
        for (const int off : {-1, 0, 1}) {
          const auto bytes = static_cast<std::size_t>(static_cast<int>(2 * element_size) * v * v + off);
          for (const int more : {-1, 0, 1}) {
            faults += !fault(widest, {w * w + more, bytes}, element_size).empty();
          }
        }
      }
    }
  }
  return faults;
}

TEST_CASE("a tile is written by its extents", "[tile]") {
  CHECK(to_string(square_tile(32)) == "32x32x32");
  CHECK(to_string(cta(8, 32)) == "8x32");
  CHECK(to_string(TileShape{128, 64, 8, 4, 2}) == "128x64x8");
}

TEST_CASE("a tile that names no extent means the default", "[tile]") {
  CHECK_FALSE(TileShape{});
  CHECK((square_tile(1) && cta(1, 1)));
  CHECK(one_thread({8, 32, 4}) == TileShape{8, 32, 4, 8, 32});
}

TEST_CASE("the two tiles of a block take the textbooks' bytes", "[tile]") {
  CHECK(tile_bytes(square_tile(16), of_fp32) == 2 * kib);  // facts.md §3
  CHECK(tile_bytes(square_tile(32), of_fp64) == 16 * kib);
  CHECK(tile_bytes({128, 64, 8}, of_fp32) == (128 * 8 + 8 * 64) * 4);
  CHECK(tile_bytes({1 << 20, 1 << 20, 1 << 20}, of_fp64) == std::size_t{1} << 44);
}

TEST_CASE("the widest square tile fits and twice its width does not", "[tile]") {
  CHECK(faulty_devices(widest_square_tile) == 0);
  CHECK(widest_square_tile({0, 0}, of_fp32) == square_tile(1));
  using Threads = std::numeric_limits<int>;
  using Bytes = std::numeric_limits<std::size_t>;
  CHECK(widest_square_tile({Threads::max(), Bytes::max()}, of_fp64) == square_tile(32));
}

TEST_CASE("a wrong chooser of square tiles is detected", "[tile]") {
  CHECK(faulty_devices([](BlockLimits, std::size_t) { return square_tile(16); }) > 0);
  CHECK(faulty_devices([](BlockLimits limits, std::size_t) { return widest_square_tile(limits, of_fp32); }) >
        0);
  CHECK(faulty_devices([](BlockLimits limits, std::size_t size) {
          return widest_square_tile({limits.threads - 1, limits.shared_bytes}, size);
        }) > 0);
  CHECK(faulty_devices([](BlockLimits limits, std::size_t size) {
          return widest_square_tile({limits.threads, limits.shared_bytes + 1}, size);
        }) > 0);
}

// The tile of the register-blocked rungs for a product.

using detail::is_built, detail::panel_bytes;

constexpr Type fp32 = Type::fp32;
constexpr const Rung& pipelined = rung_of(Kernel::pipelined);
constexpr TileShape wide{128, 256, 8, 8, 16};

/// The shapes on which every release is measured.
constexpr GemmShape shape_set[] = {{512, 512, 512},    {1000, 1000, 1000}, {1024, 1024, 1024},
                                   {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192},
                                   {2000, 3000, 2500}, {4095, 4097, 4093}, {16384, 64, 4096},
                                   {64, 64, 65536},    {8192, 8192, 64}};

TEST_CASE("every product of the shape set gets a tile that is built and fits", "[tile_model]") {
  for (const Rung& rung : ladder) {
    if (!rung.has_panels()) continue;
    for (const Path path : {Path::native, Path::portable}) {
      if (!rung.on(path)) continue;
      for (const ComputeMode math : rung.modes_on(path)) {
        Target target = h200(path, math);
        target.warp_mma = target.wgmma = all_modes;
        for (const GemmShape& shape : shape_set) {
          INFO(rung.name << ' ' << to_string(path) << ' ' << to_string(math) << ' ' << to_string(shape));
          const TileShape tile = default_tile(rung, shape, target);
          CHECK(is_built(rung, path, tile, target.type()));
          CHECK(refusal(rung, shape, tile, target) == "");
        }
      }
    }
  }
}

TEST_CASE("a GPU of small blocks gets a smaller tile, and at last the refused default", "[tile_model]") {
  Target target = h200(Path::native, ComputeMode::fp32);
  target.limits = {1024, 48 * kib, 48 * kib};
  const GemmShape large{8192, 8192, 8192};
  const TileShape tile = default_tile(pipelined, large, target);
  CHECK(tile != wide);
  CHECK(panel_bytes(pipelined, tile, fp32) <= 48 * kib);
  target.limits = {64, 48 * kib, 0};
  CHECK(default_tile(pipelined, large, target) == TileShape{64, 64, 16, 8, 8});
  target.limits = {32, 48 * kib, 0};
  CHECK(default_tile(pipelined, large, target) == pipelined.default_tile);
  CHECK(refusal(pipelined, large, pipelined.default_tile, target).code == Reason::memory);
}

}  // namespace
}  // namespace rooftile
