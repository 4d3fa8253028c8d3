// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// facts.md §3, occupancy in textbook mode: a test for each row, named by it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/model/architecture.hpp"
#include "rooftile/model/find_device.hpp"
#include "rooftile/model/grid.hpp"
#include "rooftile/model/occupancy_advice.hpp"

using namespace rooftile::model;
using Catch::Matchers::WithinAbs;

namespace {

constexpr Count kib = 1024;
constexpr SmLimits a100 = textbook(nvidia_limits(8, 0));
constexpr SmLimits large = {.threads = 2048, .blocks = 32, .registers = 65'536, .shared = 96 * kib};
constexpr SmLimits small = {.threads = 1536, .blocks = 8, .shared = 16 * kib};
constexpr SmLimits fermi = {.threads = 1536, .blocks = 8, .registers = 32 * kib};

constexpr Occupancy with_blocks_of(const SmLimits& limits, Count threads) {
  return occupancy(limits, {.threads = threads});
}

constexpr Occupancy with_registers(const SmLimits& limits, Count threads, Count registers) {
  return occupancy(limits, {.threads = threads, .registers = registers});
}

}  // namespace

TEST_CASE("§3 A100, 164 KB shared, 2,048 threads: at most 82 B shared per thread", "[model][facts]") {
  STATIC_REQUIRE(full_occupancy_budget(a100).shared_bytes == 82);
}

TEST_CASE("§3 A100, 16×16 tiles, 2 KB per block of 256: 8 B per thread, shared memory does not limit",
          "[model][facts]") {
  constexpr Launch launch{.threads = 256, .shared = 2 * kib};
  STATIC_REQUIRE(launch.shared / launch.threads == 8);
  STATIC_REQUIRE(occupancy(a100, launch).fraction == 1);
  STATIC_REQUIRE(!occupancy(a100, launch).limited_by(Limiter::shared_memory));
}

TEST_CASE("§3 A100, 32 KB per block of 256: 128 B per thread, 5 blocks, 1,280 threads, 62.5 %",
          "[model][facts]") {
  constexpr Launch launch{.threads = 256, .shared = 32 * kib};
  STATIC_REQUIRE(launch.shared / launch.threads == 128);
  constexpr Occupancy found = occupancy(a100, launch);
  STATIC_REQUIRE(found.blocks == 5);
  STATIC_REQUIRE(found.threads == 1280);
  STATIC_REQUIRE(found.fraction == 0.625);
}

TEST_CASE("§3 2,048 threads, 32 blocks, 65,536 registers, 96 KB; 64 threads, 27 regs, 4 KB: 24 blocks, 75 %",
          "[model][facts]") {
  constexpr Occupancy found = occupancy(large, {.threads = 64, .registers = 27, .shared = 4 * kib});
  STATIC_REQUIRE(found.blocks == 24);
  STATIC_REQUIRE(found.fraction == 0.75);
  REQUIRE(found.limiters() == std::vector{Limiter::shared_memory});
}

TEST_CASE("§3 2,048 threads, 32 blocks, 65,536 registers, 96 KB; 256 threads, 31 regs, 8 KB: 8 blocks, 100 %",
          "[model][facts]") {
  constexpr Occupancy found = occupancy(large, {.threads = 256, .registers = 31, .shared = 8 * kib});
  STATIC_REQUIRE(found.blocks == 8);
  STATIC_REQUIRE(found.fraction == 1);
}

TEST_CASE("§3 2,048 threads, 32 blocks, 65,536 registers; 128 threads, 30 regs: 16 blocks, 100 %",
          "[model][facts]") {
  STATIC_REQUIRE(with_registers(large, 128, 30).blocks == 16);
  STATIC_REQUIRE(with_registers(large, 128, 30).fraction == 1);
}

TEST_CASE(
    "§3 2,048 threads, 32 blocks, 65,536 registers; 32 threads, 29 regs: 32 blocks, 50 %, limiter blocks",
    "[model][facts]") {
  STATIC_REQUIRE(with_registers(large, 32, 29).blocks == 32);
  STATIC_REQUIRE(with_registers(large, 32, 29).fraction == 0.5);
  REQUIRE(with_registers(large, 32, 29).limiters() == std::vector{Limiter::blocks});
}

TEST_CASE("§3 2,048 threads, 32 blocks, 65,536 registers; 256 threads, 34 regs: 56 of 64 warps, not 84 %",
          "[model][facts]") {
  constexpr Occupancy found = with_registers(large, 256, 34);
  STATIC_REQUIRE(found.blocks == 7);
  STATIC_REQUIRE(found.warps == 56);
  STATIC_REQUIRE(found.fraction == 0.875);
  REQUIRE(found.limiters() == std::vector{Limiter::registers});
}

TEST_CASE("§3 1,536 threads, 16,384 registers; 512-thread blocks: 10 regs full, 11 regs 1,024 threads",
          "[model][facts]") {
  constexpr SmLimits limits{.threads = 1536, .registers = 16'384};
  STATIC_REQUIRE(with_registers(limits, 512, 10).fraction == 1);
  STATIC_REQUIRE(with_registers(limits, 512, 11).threads == 1024);
  REQUIRE_THAT(with_registers(limits, 512, 11).fraction, WithinAbs(1 - 1.0 / 3, 1e-12));
}

TEST_CASE("§3 16 KB shared, 8 blocks per SM; 5 KB per block: 3 blocks, 2 KB still allows 8",
          "[model][facts]") {
  STATIC_REQUIRE(occupancy(small, {.threads = 64, .shared = 5 * kib}).blocks == 3);
  STATIC_REQUIRE(max_shared(small, {.threads = 64}, 8) == 2 * kib);
}

TEST_CASE("§3 16 KB shared, 8 blocks, 1,536 threads; 16×16 tiles: 6 blocks by threads, 12 KB used",
          "[model][facts]") {
  constexpr Occupancy found = occupancy(small, {.threads = 256, .shared = 2 * kib});
  STATIC_REQUIRE(found.blocks == 6);
  STATIC_REQUIRE(found.blocks * found.block_shared == 12 * kib);
  REQUIRE(found.limiters() == std::vector{Limiter::threads});
}

TEST_CASE("§3 G80; 256-thread blocks, 10 / 11 regs: 768 / 512 threads", "[model][facts]") {
  const SmLimits g80 = textbook(find_device("G80").limits);
  REQUIRE((g80.threads == 768 && g80.registers == 8192 && g80.shared == 16 * kib && g80.blocks == 8));
  REQUIRE(with_registers(g80, 256, 10).threads == 768);
  REQUIRE(with_registers(g80, 256, 11).threads == 512);
}

TEST_CASE("§3 GT200; 8×8 / 16×16 / 32×32 blocks: 50 %, 100 %, impossible", "[model][facts]") {
  const SmLimits gt200 = textbook(find_device("GT200").limits);
  REQUIRE((gt200.block_threads == 512 && gt200.threads == 1024 && gt200.blocks == 8));
  REQUIRE(with_blocks_of(gt200, 8 * 8).threads == 512);
  REQUIRE(with_blocks_of(gt200, 8 * 8).fraction == 0.5);
  REQUIRE(with_blocks_of(gt200, 16 * 16).threads == 1024);
  REQUIRE(with_blocks_of(gt200, 16 * 16).fraction == 1);
  REQUIRE(with_blocks_of(gt200, 32 * 32).blocks == 0);
  REQUIRE(with_blocks_of(gt200, 32 * 32).limiters() == std::vector{Limiter::threads});
}

TEST_CASE("§3 1,536 threads, 4 blocks per SM; 128 / 256 / 512 / 1,024 threads per block", "[model][facts]") {
  constexpr SmLimits limits{.threads = 1536, .blocks = 4};
  STATIC_REQUIRE(with_blocks_of(limits, 128).threads == 512);
  STATIC_REQUIRE(with_blocks_of(limits, 256).threads == 1024);
  STATIC_REQUIRE(with_blocks_of(limits, 512).threads == 1536);
  STATIC_REQUIRE(with_blocks_of(limits, 1024).threads == 1024);
}

TEST_CASE("§3 2,048 threads, 64 blocks per SM; 8×128, 16×64, 32×32, 64×32, 32×64 blocks × threads",
          "[model][facts]") {
  constexpr SmLimits limits{.threads = 2048, .blocks = 64};
  const auto fraction = [&](Count blocks, Count threads) {
    const Occupancy found = occupancy(limits, {.threads = threads, .assigned = blocks});
    REQUIRE(found.blocks == blocks);
    return found.fraction;
  };
  REQUIRE(fraction(8, 128) == 0.5);
  REQUIRE(fraction(16, 64) == 0.5);
  REQUIRE(fraction(32, 32) == 0.5);
  REQUIRE(fraction(64, 32) == 1);
  REQUIRE(fraction(32, 64) == 1);
}

TEST_CASE("§3 Fermi, 1,536 threads, 48 warps, 8 blocks, 32 K registers; 20+1 / 63+1 regs: 1.0 / 0.3333",
          "[model][facts]") {
  STATIC_REQUIRE(with_registers(fermi, 256, 20 + 1).fraction == 1);
  STATIC_REQUIRE(with_registers(fermi, 256, 20 + 1).warps == 48);
  REQUIRE_THAT(with_registers(fermi, 256, 63 + 1).fraction, WithinAbs(0.3333, 5e-5));
  const SmLimits built_in = textbook(find_device("Fermi").limits);
  REQUIRE_THAT(with_registers(built_in, 256, 63 + 1).fraction, WithinAbs(0.3333, 5e-5));
}

TEST_CASE("§3 Fermi, 48 KB / 16 KB shared; 32 B shared per thread: 1.0 / 0.3333", "[model][facts]") {
  const auto with_shared = [](Count shared) {
    SmLimits limits = fermi;
    limits.shared = shared;
    return occupancy(limits, {.threads = 256, .shared = 256 * 32}).fraction;
  };
  REQUIRE(with_shared(48 * kib) == 1);
  REQUIRE_THAT(with_shared(16 * kib), WithinAbs(0.3333, 5e-5));
}

TEST_CASE("§3 Fermi; blocks of 32, 64, 128, 192, 256: 0.1667, 0.3333, 0.6667, 1, 1", "[model][facts]") {
  STATIC_REQUIRE(with_blocks_of(fermi, 32).threads == 256);
  STATIC_REQUIRE(with_blocks_of(fermi, 64).threads == 512);
  STATIC_REQUIRE(with_blocks_of(fermi, 128).threads == 1024);
  STATIC_REQUIRE(with_blocks_of(fermi, 192).threads == 1536);
  STATIC_REQUIRE(with_blocks_of(fermi, 256).threads == 1536);
  REQUIRE_THAT(with_blocks_of(fermi, 32).fraction, WithinAbs(0.1667, 5e-5));
  REQUIRE_THAT(with_blocks_of(fermi, 64).fraction, WithinAbs(0.3333, 5e-5));
  REQUIRE_THAT(with_blocks_of(fermi, 128).fraction, WithinAbs(0.6667, 5e-5));
  REQUIRE(with_blocks_of(fermi, 192).fraction == 1);
}

TEST_CASE("§3 GTX 580; grid 4×5×3, 100-thread blocks, 48 regs: 60 blocks on 16 SMs", "[model][facts]") {
  const Device& gtx580 = find_device("GTX 580");
  REQUIRE((gtx580.sms == 16 && gtx580.limits.registers == 32 * kib));
  const Occupancy found = with_registers(textbook(gtx580.limits), 100, 48);
  REQUIRE(found.block_registers == 4800);
  const GridOverSms grid = grid_over_sms(4 * 5 * 3, 100, found.blocks, gtx580.sms, gtx580.limits.warp_size);
  REQUIRE(grid.blocks == 60);
  REQUIRE(grid.max_per_sm == 4);
  REQUIRE(grid.busiest_sms == 12);
  REQUIRE(grid.waves == 1);
  REQUIRE(grid.warps_per_block == 4);
  REQUIRE(grid.last_warp_threads == 4);
}
