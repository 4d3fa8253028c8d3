// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/occupancy.hpp"

#include <algorithm>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/model/architecture.hpp"
#include "rooftile/model/grid.hpp"
#include "rooftile/model/occupancy_advice.hpp"

using namespace rooftile::model;

namespace {

constexpr SmLimits ampere = nvidia_limits(8, 0);
constexpr SmLimits mi250x = cdna_limits(64, 512);

}  // namespace

TEST_CASE("hardware rounds registers up to a warp's unit, textbooks do not", "[model]") {
  constexpr Launch launch{.threads = 256, .registers = 33};
  STATIC_REQUIRE(occupancy(textbook(ampere), launch).block_registers == 33 * 256);
  STATIC_REQUIRE(occupancy(ampere, launch).block_registers == 40 * 256);
  STATIC_REQUIRE(occupancy(textbook(ampere), launch).blocks == 7);
  STATIC_REQUIRE(occupancy(ampere, launch).blocks == 6);
}

TEST_CASE("hardware reserves 1 KB of shared memory for each block since 8.0", "[model]") {
  constexpr Launch launch{.threads = 128, .shared = 16 * 1024};
  STATIC_REQUIRE(occupancy(ampere, launch).block_shared == 17 * 1024);
  STATIC_REQUIRE(occupancy(ampere, launch).blocks == 9);
  STATIC_REQUIRE(occupancy(textbook(ampere), launch).blocks == 10);
}

TEST_CASE("hardware counts warps, so that a block of 100 threads takes the place of 128", "[model]") {
  STATIC_REQUIRE(occupancy(ampere, {.threads = 100}).fraction == 1);
  STATIC_REQUIRE(occupancy(ampere, {.threads = 100}).blocks == 16);
  STATIC_REQUIRE(occupancy(textbook(ampere), {.threads = 100}).blocks == 20);
}

TEST_CASE("compute capability 1.x hands registers to whole blocks of an even number of warps", "[model]") {
  // Three warps count as four: 4 × 32 × 10 = 1,280 registers, a multiple of 256.
  constexpr Occupancy found = occupancy(nvidia_limits(1, 0), {.threads = 96, .registers = 10});
  STATIC_REQUIRE((found.block_registers == 1280 && found.blocks == 6));
}

TEST_CASE("all binding limiters are named", "[model]") {
  const SmLimits limits{.threads = 1024, .blocks = 4, .registers = 8192};
  const Occupancy found = occupancy(limits, {.threads = 256, .registers = 8});
  REQUIRE(found.limiters() == std::vector{Limiter::threads, Limiter::blocks, Limiter::registers});
}

TEST_CASE("a launch that cannot run has no blocks and names what is too much", "[model]") {
  const auto limiters = [](const Launch& launch) {
    const Occupancy found = occupancy(ampere, launch);
    REQUIRE((found.blocks == 0 && found.fraction == 0));
    return found.limiters();
  };
  REQUIRE(limiters({.threads = 1025}) == std::vector{Limiter::threads});
  REQUIRE(limiters({.threads = 1024, .registers = 65}) == std::vector{Limiter::registers});
  REQUIRE(limiters({.threads = 32, .registers = 257}) == std::vector{Limiter::registers});
  REQUIRE(limiters({.threads = 32, .shared = 163 * 1024 + 1}) == std::vector{Limiter::shared_memory});
  REQUIRE(limiters({.threads = 32, .shared = 48 * 1024 + 1, .opt_in = false}) ==
          std::vector{Limiter::shared_memory});
}

TEST_CASE("a small carve-out limits, but never below one block", "[model]") {
  STATIC_REQUIRE(occupancy(ampere, {.threads = 64, .shared = 15 * 1024, .carveout_percent = 20}).blocks == 4);
  STATIC_REQUIRE(occupancy(ampere, {.threads = 64, .shared = 100 * 1024, .carveout_percent = 0}).blocks == 1);
}

TEST_CASE("AMD: a wave's registers are handed out by eight, four SIMDs hold eight waves each", "[model]") {
  const auto waves = [](Count registers) {
    return occupancy(mi250x, {.threads = 256, .registers = registers}).warps;
  };
  REQUIRE(waves(64) == 32);
  REQUIRE(waves(65) == 28);
  REQUIRE(waves(72) == 28);
  REQUIRE(waves(128) == 16);
  REQUIRE(waves(129) == 12);
  REQUIRE(waves(512) == 4);
  REQUIRE(waves(513) == 0);
}

TEST_CASE("AMD: at most 16 blocks with a barrier, but 32 of one wave", "[model]") {
  STATIC_REQUIRE(occupancy(mi250x, {.threads = 128}).blocks == 16);
  STATIC_REQUIRE(occupancy(mi250x, {.threads = 64}).blocks == 32);
  STATIC_REQUIRE(occupancy(mi250x, {.threads = 65}).limited_by(Limiter::barriers));
}

TEST_CASE("AMD: local memory is handed out by 512 bytes, on gfx950 by 1,280", "[model]") {
  STATIC_REQUIRE(occupancy(mi250x, {.threads = 256, .shared = 8193}).block_shared == 8704);
  STATIC_REQUIRE(occupancy(cdna_limits(160, 1280), {.threads = 256, .shared = 8193}).block_shared == 8960);
}

TEST_CASE("the next step names the change that it needs", "[model]") {
  const auto steps = next_steps(ampere, {.threads = 256, .registers = 34});
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].launch.registers == 32);
  REQUIRE(steps[0].reached.blocks == 8);
}

TEST_CASE("the next step changes registers and shared memory where both bind", "[model]") {
  const SmLimits limits{.threads = 2048, .blocks = 32, .registers = 65'536, .shared = 64 * 1024};
  const auto steps = next_steps(limits, {.threads = 256, .registers = 64, .shared = 16 * 1024});
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].launch.registers == 51);
  REQUIRE(steps[0].launch.shared == 64 * 1024 / 5);
  REQUIRE(steps[0].reached.blocks == 5);
}

TEST_CASE("the next step is another block size where blocks are too few or too large", "[model]") {
  const SmLimits limits{.threads = 1536, .blocks = 8, .block_threads = 1024};
  REQUIRE(next_steps(limits, {.threads = 32}).at(0).launch.threads == 64);
  REQUIRE(next_steps(limits, {.threads = 1024}).at(0).launch.threads == 768);
  REQUIRE(next_steps(limits, {.threads = 192}).empty());
}

TEST_CASE("most registers and most shared memory are the last that keep the blocks", "[model]") {
  constexpr Launch launch{.threads = 256};
  STATIC_REQUIRE(max_registers(ampere, launch, 8) == 32);
  STATIC_REQUIRE(max_registers(ampere, launch, 2) == 128);
  STATIC_REQUIRE(max_registers(ampere, launch, 9) == std::nullopt);
  STATIC_REQUIRE(max_shared(ampere, launch, 1) == 163 * 1024);
  // 164 KB / 8 = 20.5 KB, of which 1 KB is reserved.
  STATIC_REQUIRE(max_shared(ampere, launch, 8) == 20 * 1024 + 512 - 1024);
}

TEST_CASE("sweeps cover every block size and every step of shared memory", "[model]") {
  const auto sizes = sweep_threads(ampere, {.registers = 32});
  REQUIRE(sizes.size() == 32);
  REQUIRE((sizes.front().launch.threads == 32 && sizes.back().launch.threads == 1024));
  const auto bytes = sweep_shared(ampere, {.threads = 256}, 1024);
  REQUIRE((bytes.size() == 164 && bytes.front().reached.blocks == 8 && bytes.back().reached.blocks == 1));
}

TEST_CASE("a grid's last wave lowers the efficiency", "[model]") {
  constexpr GridOverSms grid = grid_over_sms(109, 256, 1, 108, 32);
  STATIC_REQUIRE((grid.waves == 2 && grid.last_wave == 1 && grid.efficiency == 109.0 / 216));
  STATIC_REQUIRE((grid.max_per_sm == 2 && grid.busiest_sms == 1));
  constexpr GridOverSms even = grid_over_sms(216, 256, 1, 108, 32);  // all SMs have the largest load
  STATIC_REQUIRE((even.max_per_sm == 2 && even.busiest_sms == 108 && even.last_wave == 108));
  STATIC_REQUIRE((even.efficiency == 1 && even.last_warp_threads == 32));
  constexpr GridOverSms few = grid_over_sms(5, 33, 2, 108, 32);
  STATIC_REQUIRE((few.max_per_sm == 1 && few.busiest_sms == 5 && few.waves == 1 && few.last_wave == 5));
  STATIC_REQUIRE((few.warps_per_block == 2 && few.last_warp_threads == 1));
}

// An SM without further data allocates exactly the requested amounts, as textbooks calculate.
TEST_CASE("blocks of an SM without granularity are what divisions say", "[model]") {
  std::mt19937_64 bits(20261122);
  const auto draw = [&](Count least, Count most) { return std::uniform_int_distribution(least, most)(bits); };
  for (int trial = 0; trial < 2000; ++trial) {
    const SmLimits limits{
        .threads = draw(256, 2048), .registers = draw(8192, 65536), .shared = draw(16384, 233472)};
    const Launch launch{
        .threads = draw(1, 1024), .registers = draw(1, 64), .shared = draw(1, 32768), .barriers = draw(0, 3)};
    CAPTURE(trial, limits.threads, limits.registers, limits.shared);
    CAPTURE(launch.threads, launch.registers, launch.shared);
    const Occupancy found = occupancy(limits, launch);
    const Count by_threads = limits.threads / launch.threads;
    const Count by_registers = limits.registers / launch.registers / launch.threads;
    const Count by_shared = limits.shared / launch.shared;
    CHECK(found.blocks == std::min({by_threads, by_registers, by_shared}));
    CHECK(found.blocks_by ==
          std::array{by_threads, unlimited, by_registers, by_shared, unlimited, unlimited});
    CHECK(found.threads == found.blocks * launch.threads);
    CHECK(found.warps == found.blocks * ((launch.threads + 31) / 32));
    CHECK(found.fraction == static_cast<double>(found.threads) / static_cast<double>(limits.threads));
    CHECK(found.block_registers == launch.threads * launch.registers);
    CHECK(found.block_shared == launch.shared);
  }
}

TEST_CASE("resources that a launch does not name do not limit it", "[model]") {
  const Occupancy found = occupancy({}, {.threads = 1});
  CHECK((found.blocks == unlimited && found.block_registers == 0 && found.block_shared == 0));
  CHECK(found.limiters().size() == limiter_names.size());
  CHECK(Launch{}.threads == 0);  // not a launch yet
}

TEST_CASE("a textbook's view of an SM keeps its limits and nothing else", "[model]") {
  const int splits[] = {8, 16};
  SmLimits limits{.warp_size = 64, .threads = 2048, .blocks = 32, .shared = 65536};
  limits.barriers = 16, limits.carveouts_kib = splits;
  limits.granularity = {.thread_group = 64, .register_unit = 8};
  const SmLimits seen = textbook(limits);
  CHECK((seen.warp_size == 64 && seen.threads == 2048 && seen.blocks == 32 && seen.shared == 65536));
  CHECK((seen.barriers == unlimited && seen.carveouts_kib.empty()));
  CHECK((seen.granularity.thread_group == 1 && seen.granularity.register_unit == 1));
}
