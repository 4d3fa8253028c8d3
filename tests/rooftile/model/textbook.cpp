// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// An SM of which nothing else is said hands out exactly what is asked for, as textbooks count.
#include <algorithm>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/model/occupancy.hpp"

using namespace rooftile::model;

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

TEST_CASE("what a launch does not say does not limit it", "[model]") {
  const Occupancy found = occupancy({}, {.threads = 1});
  CHECK((found.blocks == unlimited && found.block_registers == 0 && found.block_shared == 0));
  CHECK(found.limiters().size() == limiter_names.size());
  CHECK(Launch{}.threads == 0);  // which is no launch yet
}

TEST_CASE("a textbook's view of an SM keeps its limits and nothing else", "[model]") {
  const int splits[] = {8, 16};
  SmLimits limits{.warp_size = 64,
                  .threads = 2048,
                  .blocks = 32,
                  .shared = 65536,
                  .barriers = 16,
                  .carveouts_kib = splits,
                  .granularity = {.thread_group = 64, .register_unit = 8}};
  const SmLimits seen = textbook(limits);
  CHECK((seen.warp_size == 64 && seen.threads == 2048 && seen.blocks == 32 && seen.shared == 65536));
  CHECK(seen.barriers == unlimited);
  CHECK(seen.carveouts_kib.empty());
  CHECK((seen.granularity.thread_group == 1 && seen.granularity.register_unit == 1));
}
