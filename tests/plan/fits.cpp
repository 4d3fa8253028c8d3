// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A device can launch every chosen kernel: threads, shared memory, registers and grid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "plan/block_limits.hpp"
#include "plan/default_tile.hpp"
#include "plan/device_target.hpp"
#include "plan/plan.hpp"
#include "plan/refusal.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/model/device_table.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

/// The resources that a launch needs.
struct Launch {
  Index threads;
  std::size_t shared_bytes;
  Index sum_registers;  ///< per thread: its part of C
  double blocks;        ///< per product
};

bool is_warpgroup(Kernel kernel) {
  return kernel == Kernel::warpgroup || kernel == Kernel::warpgroup_tf32x3 ||
         kernel == Kernel::warpgroup_int8 || kernel == Kernel::warpgroup_1m;
}

/// Computed as in cuda_native/launch.cuh, cuda_native/warpgroup/tile.cuh and backends/kokkos/launch.hpp,
/// independently of a target's claim about asynchronous copies.
Launch launch_of(const Rung& rung, TileShape tile, const GemmShape& shape, const model::Device& device,
                 Path path, ComputeMode math) {
  const Type type = type_of(math);
  Launch launch{};
  const Index tile_threads = Index{tile.bm / tile.tm} * (tile.bn / tile.tn);
  launch.threads = is_warpgroup(rung.kernel) ? 128 * (tile.bm / 64 + 1)
                                             : std::max<Index>(rung.block_threads, tile_threads);
  if (is_warpgroup(rung.kernel)) {  // stages of 128-byte lines, staged stores, barriers, alignment
    const int columns =
        (math == ComputeMode::tf32x3 || is_complex(type) ? 2 : 1) * tile.bn;  // of B in a stage
    const int stage = 128 * (tile.bm + columns);
    const int stages = 196608 / stage;
    launch.shared_bytes = static_cast<std::size_t>(stages * stage + tile.bm / 16 * 4096 + 16 * stages + 1024);
  } else if (rung.has_panels()) {
    launch.shared_bytes =
        detail::panel_bytes(rung, tile, type, path == Path::native || device.vendor == model::Vendor::nvidia);
  } else if (rung.block_threads > 0) {  // panels, or sums that reuse their memory
    const int panels = tile.bm * (tile.bk + 1) + tile.bk * (tile.bn + 1), sums = tile.bm * (tile.bn + 1);
    launch.shared_bytes =
        static_cast<std::size_t>(launch.threads / tile_threads * std::max(panels, sums)) * size_of(type);
  } else if (tile.bk > 1 || rung.tiles_taken == Tiles::any_square) {
    launch.shared_bytes = tile_bytes(tile, size_of(type));
  }
  // The portable path adds the alignment of scratch memory. Except on CUDA, Kokkos adds memory for a team's
  // reduction.
  if (path == Path::portable && launch.shared_bytes > 0) {
    launch.shared_bytes += 32;
    if (device.vendor != model::Vendor::nvidia)
      launch.shared_bytes += sizeof(double) * static_cast<std::size_t>(launch.threads + 2);
  }
  launch.sum_registers = is_warpgroup(rung.kernel)
                             ? tile.tn * (is_complex(type) && !takes_residues(math) ? 2 : 1)
                             : static_cast<Index>(detail::accumulator_bytes(tile, type)) / 4;
  launch.blocks =
      std::ceil(static_cast<double>(shape.m) / tile.bm) * std::ceil(static_cast<double>(shape.n) / tile.bn);
  return launch;
}

/// The first resource that a device lacks for a launch. Empty if there is none.
std::string misfit(const Rung& rung, TileShape tile, const GemmShape& shape, const model::Device& device,
                   Path path, ComputeMode math) {
  const auto [threads, shared, sums, blocks] = launch_of(rung, tile, shape, device, path, math);
  const model::SmLimits& limits = device.limits;
  const auto max_shared = static_cast<std::size_t>(
      device.vendor == model::Vendor::nvidia ? std::max(limits.block_shared, limits.block_shared_default)
                                             : limits.block_shared_default);
  if (threads < 1 || threads > limits.block_threads) return "threads";
  if (shared > max_shared) return "shared memory";
  // At least a quarter more registers for everything else.
  if (sums + sums / 4 > std::min(limits.thread_registers, limits.block_registers / threads))
    return "registers";
  if (blocks > std::numeric_limits<int>::max()) return "grid";
  return {};
}

/// Whether a GPU supports the path. For the portable path: whether Kokkos supports the GPU.
bool has_path(const model::Device& device, Path path) {
  const int capability = detail::capability_of(device);
  if (device.vendor == model::Vendor::nvidia) return capability >= (path == Path::native ? 30 : 50);
  return device.vendor == model::Vendor::amd && path == Path::portable;
}

template <class F>
void for_each_target(const F& f) {
  for (const model::Device& device : model::devices) {
    for (const Path path : {Path::portable, Path::native}) {
      if (!has_path(device, path)) continue;
      for (const ComputeMode math : all_modes) f(device, target_of(device, path, math));
    }
  }
}

/// Extents from 1 to millions, few of them round numbers. Operands with any layout and address.
struct RandomProduct {
  GemmShape shape;
  Index count;
  detail::OperandAlignments copies;

  explicit RandomProduct(std::mt19937_64& bits) {
    const auto extent = [&] {
      const auto x = static_cast<Index>(std::exp2(std::uniform_real_distribution<double>(0, 21)(bits)));
      return bits() % 3 == 0 ? std::max<Index>(x / 64 * 64, 1) : x;
    };
    const auto chance = [&] { return bits() % 2 == 0; };
    const auto lines = [&] {
      const bool whole = chance();
      return detail::OperandAlignment{chance(), whole, whole || chance()};
    };
    shape = {extent(), extent(), extent()};
    count = chance() ? 1 : extent() / 64 + 1;
    copies = {lines(), lines()};
  }
};

/// Whether a target has a kernel for any shape in its mode. GPUs without matrix instructions compute mixed
/// types only in small batches.
bool computes_any_shape(const Target& target) {
  return std::any_of(std::begin(ladder), std::end(ladder), [&](const Rung& rung) {
    return rung.fits != Fits::one_tile && detail::computes(rung, target);
  });
}

TEST_CASE("every choice fits its device", "[fits]") {
  constexpr int products = 2000;
  Index choices = 0;
  for_each_target([&](const model::Device& device, const Target& target) {
    const bool any = computes_any_shape(target);
    std::mt19937_64 bits(testing::seed);
    std::string wrong;
    for (int i = 0; any && i < products; ++i) {
      const RandomProduct p(bits);
      GemmDesc desc = describe(p.shape, target.type(), p.count);
      desc.alignment = p.copies;
      const Choice choice = choose(desc, {}, target);
      const std::string problem =
          misfit(rung_of(choice.kernel), choice.tile, p.shape, device, target.path, choice.math);
      if (!problem.empty() && wrong.empty()) {
        wrong = problem + ": " + std::string(rung_of(choice.kernel).name) + ' ' + to_string(choice.tile) +
                " for " + to_string(p.shape) + " x " + std::to_string(p.count);
      }
      ++choices;
    }
    INFO(device.name << ' ' << to_string(target.path) << ' ' << to_string(target.math) << ", seed "
                     << testing::seed);
    CHECK(wrong == "");
  });
  CHECK(choices > 150000);
}

/// The plan with `bytes` of workspace, or nothing if that is refused.
std::optional<GemmPlan> plan_within(const GemmDesc& desc, std::size_t bytes, const Target& target) {
  try {
    return plan(desc, {.workspace = {nullptr, bytes}}, target);
  } catch (const Unsupported& refused) {
    CHECK(refused.code() == Reason::workspace);
    return {};
  }
}

TEST_CASE("every plan takes no more workspace than is allowed", "[fits]") {
  constexpr int products = 500;
  Index limited = 0, alike = 0;
  for_each_target([&](const model::Device& device, const Target& target) {
    const bool any = computes_any_shape(target);
    std::mt19937_64 bits(testing::seed);
    for (int i = 0; any && i < products; ++i) {
      const RandomProduct p(bits);
      const GemmDesc desc{p.shape,
                          target.type(),
                          p.count,
                          p.copies,
                          {bits() % 2 == 0, bits() % 2 == 0},
                          false,
                          mode_of(target.math).result};
      const GemmPlan free = plan(desc, {}, target);
      if (free.workspace == 0) continue;
      const auto less = static_cast<std::size_t>(
          std::exp2(std::uniform_real_distribution<double>(0, std::log2(free.workspace))(bits)));
      INFO(device.name << ' ' << to_string(target.path) << ' ' << to_string(target.math) << ' '
                       << to_string(p.shape) << " x " << p.count << ", seed " << testing::seed);
      // A mode other than the type's own may have no other kernel.
      for (const std::size_t bytes : {std::size_t{0}, less, free.workspace - 1}) {
        const std::optional<GemmPlan> within = plan_within(desc, bytes, target);
        if (target.math == own_mode(target.type())) REQUIRE(within);
        if (within && within->workspace > bytes) FAIL("too much: " << within->workspace << " of " << bytes);
        if (within &&
            misfit(rung_of(within->kernel), within->tile, p.shape, device, target.path, within->math) != "")
          FAIL("does not fit: " << rung_of(within->kernel).name << ' ' << to_string(within->tile));
        ++limited;
      }
      const std::optional<GemmPlan> same = plan_within(desc, free.workspace, target);
      REQUIRE(same);
      // For batches, the plan may compute fewer entries per step.
      alike += same->kernel == free.kernel && same->tile == free.tile &&
               (p.count > 1 || steps_of(*same) == steps_of(free));
      ++limited;
    }
  });
  CHECK(limited > 50000);
  // Under a limit, another kernel may process fewer entries per step and be faster by the model.
  CHECK(alike > limited / 4 * 99 / 100);
}

TEST_CASE("every tile that is not refused fits its device", "[fits]") {
  const GemmShape shape{192, 128, 64};
  Index launches = 0;
  for_each_target([&](const model::Device& device, const Target& target) {
    for (const Rung& rung : ladder) {
      if (!detail::computes(rung, target)) continue;
      std::vector<TileShape> tiles = detail::built_tiles(rung, target);
      tiles.push_back(default_tile(rung, shape, target));
      for (const TileShape tile : tiles) {
        if (!refusal(rung, shape, tile, target).empty()) continue;
        INFO(device.name << ' ' << to_string(target.path) << ' ' << to_string(target.math) << ' ' << rung.name
                         << ' ' << to_string(tile));
        CHECK(misfit(rung, tile, shape, device, target.path, target.math) == "");
        ++launches;
      }
    }
  });
  CHECK(launches > 1000);
}

TEST_CASE("a target that denies asynchronous copies is detected", "[fits]") {
  // A former error of cuda_native: it assumed 27,648 bytes where the kernel needs 122,880, and the GPU has
  // 101,376.
  for (const model::Device& device : model::devices) {
    if (device.name != "RTX 4090") continue;
    Target wrong = target_of(device, Path::native, ComputeMode::bf16);
    const Rung& rung = rung_of(Kernel::tensor_core);
    const TileShape tile{128, 256, 32, 16, 8};
    CHECK_FALSE(refusal(rung, {4096, 4096, 4096}, tile, wrong).empty());
    wrong.asynchronous_copies = false;
    CHECK(refusal(rung, {4096, 4096, 4096}, tile, wrong).empty());
    CHECK(misfit(rung, tile, {4096, 4096, 4096}, device, Path::native, ComputeMode::bf16) == "shared memory");
    return;
  }
  FAIL("no such device");
}

TEST_CASE("more panels along K than a kernel counts are refused", "[fits]") {
  const Index most = std::numeric_limits<int>::max();
  for (const Path path : {Path::native, Path::portable}) {
    for (const ComputeMode math : {ComputeMode::fp32, ComputeMode::fp64, ComputeMode::bf16}) {
      const Target target = testing::h200(path, math);
      for (const Rung& rung : ladder) {
        if (!rung.has_panels() || !detail::computes(rung, target)) continue;
        for (const TileShape tile : detail::built_tiles(rung, target)) {
          INFO(rung.name << ' ' << to_string(tile));
          CHECK(refusal(rung, {64, 64, most * tile.bk - 1}, tile, target).empty());
          CHECK(refusal(rung, {64, 64, most * tile.bk}, tile, target).code == Reason::launch);
        }
      }
    }
  }
  // Strides of 0 allow a huge K. The chosen kernel must compute all of it.
  const Choice choice = choose({64, 64, Index{1} << 40}, {}, testing::h200(Path::native, ComputeMode::fp32));
  CHECK(!rung_of(choice.kernel).has_panels());
}

TEST_CASE("an empty product is refused by no kernel", "[fits]") {
  for (const Path path : {Path::native, Path::portable}) {
    const Target target = testing::h200(path, ComputeMode::fp32);
    for (const Rung& rung : ladder) {
      if (!detail::computes(rung, target)) continue;
      for (const GemmShape shape : {GemmShape{0, 32, 32}, {32, 0, 32}, {0, 0, 0}}) {
        INFO(rung.name);
        CHECK(refusal(rung, shape, default_tile(rung, shape, target), target).empty());
      }
    }
  }
}

TEST_CASE("more tiles than a launch counts are refused", "[fits]") {
  constexpr Index many = Index{1} << 40, tall = Index{1} << 35;
  const auto code = [](Kernel kernel, const GemmShape& shape, TileShape tile, ComputeMode math) {
    return refusal(rung_of(kernel), shape, tile, testing::h200(Path::native, math)).code;
  };
  CHECK(code(Kernel::naive, {many, 16, 1}, cta(16, 16), ComputeMode::fp32) == Reason::launch);
  CHECK(code(Kernel::naive, {Index{1} << 34, 16, 1}, cta(16, 16), ComputeMode::fp32) == Reason::nothing);
  CHECK(code(Kernel::naive, {many, many, 1}, cta(16, 16), ComputeMode::fp32) == Reason::launch);
  for (const GemmShape shape : {GemmShape{tall, 64, 64}, {64, tall, 64}, {64, 64, tall}})
    CHECK(code(Kernel::warpgroup, shape, ladder_tiles::warpgroup[0], ComputeMode::bf16) == Reason::launch);
  const Target bf16 = testing::h200(Path::native, ComputeMode::bf16);
  CHECK(choose({4096, 4096, 4096}, {}, bf16).kernel == Kernel::warpgroup);
  CHECK_FALSE(choose({64, 64, tall}, {}, bf16).kernel == Kernel::warpgroup);  // TMA counts to 2³¹
}

}  // namespace
}  // namespace rooftile
