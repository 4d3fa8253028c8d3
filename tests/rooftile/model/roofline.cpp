// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/roofline.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/model/find_device.hpp"
#include "rooftile/model/latency.hpp"
#include "rooftile/model/memory.hpp"

using namespace rooftile;
using namespace rooftile::model;
using Catch::Matchers::WithinRel;

TEST_CASE("traffic with boundary checks loads only what exists", "[model]") {
  constexpr Traffic t = traffic({100, 70, 50}, square_tile(16), 4);
  STATIC_REQUIRE((t.a_loads == 5 && t.b_loads == 7 && t.phases == 4));
  STATIC_REQUIRE((t.requests == 100 * 50 * 5 + 50 * 70 * 7 && t.l2_bytes == 4 * (t.requests + 100 * 70)));
  STATIC_REQUIRE(t.dram_bytes == 4 * (100 * 50 + 50 * 70 + 100 * 70));
}

TEST_CASE("a warp reads the rows and columns that its threads cover", "[model]") {
  constexpr GemmShape shape{64, 64, 64};
  constexpr double fmas = 64 * 64 * 64;
  // 16×16 threads: a warp covers 2 rows and 16 columns; 32×8 (x × y): 1 and 32.
  STATIC_REQUIRE(traffic(shape, cta(16, 16), 4).l1_bytes == 4 * fmas * (1.0 / 16 + 1.0 / 2));
  STATIC_REQUIRE(traffic(shape, cta(8, 32), 4).l1_bytes == 4 * fmas * (1.0 / 32 + 1));
  STATIC_REQUIRE(traffic(shape, cta(16, 16), 4, 64).l1_bytes == 4 * fmas * (1.0 / 16 + 1.0 / 4));
  // Where a thread has several elements, 8 threads of a row and 4 of a column: 8·8 columns by 4·2 rows of
  // them.
  constexpr Traffic wide = traffic(shape, {64, 128, 8, 2, 8}, 4);
  STATIC_REQUIRE(wide.l1_bytes == 4 * (fmas * (1.0 / 64 + 1.0 / 8) + wide.requests));
  constexpr Traffic narrow = traffic(shape, {64, 16, 8, 2, 8}, 4);  // the 2 threads that a row has, and 16
  STATIC_REQUIRE(narrow.l1_bytes == 4 * (fmas * (1.0 / 16 + 1.0 / 32) + narrow.requests));
}

TEST_CASE("register tiles cut the traffic of shared memory, not of global memory", "[model]") {
  constexpr GemmShape shape{1024, 1024, 1024};
  constexpr Traffic one = traffic(shape, {64, 64, 16, 1, 1}, 4);
  constexpr Traffic blocked = traffic(shape, {64, 64, 16, 8, 8}, 4);
  STATIC_REQUIRE(one.requests == blocked.requests);
  STATIC_REQUIRE(one.l1_bytes > 4 * blocked.l1_bytes);
}

TEST_CASE("memory traffic row by row of blocks agrees with the counters of a GeForce RTX 3070", "[model]") {
  // facts.md §6, 2000×3000, k=2500; CTAs are written x × y there.
  const auto intensity = [](const TileShape& tile) {
    return traffic({2000, 3000, 2500}, tile, 4).dram_intensity_by_rows();
  };
  REQUIRE_THAT(intensity(square_tile(8)), WithinRel(3.87, 0.1));
  REQUIRE_THAT(intensity(square_tile(16)), WithinRel(7.45, 0.1));
  REQUIRE_THAT(intensity(square_tile(32)), WithinRel(14.05, 0.1));
  REQUIRE_THAT(intensity(cta(16, 16)), WithinRel(7.48, 0.1));
  REQUIRE_THAT(intensity(cta(32, 32)), WithinRel(14.22, 0.1));
  REQUIRE_THAT(intensity(cta(32, 8)), WithinRel(14.22, 0.1));
  REQUIRE_THAT(intensity(cta(8, 32)), WithinRel(3.88, 0.1));
  REQUIRE_THAT(intensity(cta(4, 64)), WithinRel(1.98, 0.1));
}

TEST_CASE("the lowest of several ceilings binds", "[model]") {
  constexpr GemmShape shape{4096, 4096, 4096};
  const Ceilings roof = ceilings(find_device("A100"), Precision::fp32, Pipe::vector);
  const Attainable wide = attainable(roof, traffic(shape, cta(4, 64), 4));
  REQUIRE(wide.ceiling == "l1");
  const Attainable tiled = attainable(roof, traffic(shape, square_tile(8), 4));
  REQUIRE(tiled.ceiling == "l2");
  REQUIRE(tiled.bound == Bound::memory);
  REQUIRE_THAT(tiled.gflops, WithinRel(5120 * 1.410 * 2, 0.01));
  const Attainable blocked = attainable(roof, traffic(shape, {128, 128, 16, 8, 8}, 4));
  REQUIRE(blocked.ceiling == "vector");
  REQUIRE((blocked.bound == Bound::compute && blocked.fraction_of_peak == 1));
  const Attainable thin = attainable(roof, traffic({8192, 8192, 8}, {128, 128, 8, 8, 8}, 4));
  REQUIRE(thin.ceiling == "dram");
}

TEST_CASE("without a cache every request goes to memory", "[model]") {
  const Ceilings g80 = ceilings(find_device("G80"), Precision::fp32, Pipe::vector);
  const Attainable naive = attainable(g80, traffic({4096, 4096, 4096}, cta(16, 16), 4));
  REQUIRE(naive.ceiling == "dram");
  REQUIRE_THAT(naive.gflops, WithinRel(21.6, 1e-3));
}

TEST_CASE("a ceiling that nobody knows does not limit", "[model]") {
  const Attainable found = attainable(Ceilings{.peak_gflops = 100}, traffic({64, 64, 64}, cta(16, 16), 4));
  REQUIRE((found.gflops == 100 && found.bound == Bound::compute));
}

TEST_CASE("Little's law in bytes and in threads", "[model]") {
  STATIC_REQUIRE(bytes_in_flight(500, 1600) == 800'000);
  STATIC_REQUIRE(threads_in_flight(800'000, 4, 1) == 200'000);
  STATIC_REQUIRE(threads_in_flight(800'000, 4, 4) == threads_in_flight(800'000, 16, 1));
}

TEST_CASE("DRAM banks and shared-memory banks", "[model]") {
  STATIC_REQUIRE(banks_needed(20, 1) == 21);
  STATIC_REQUIRE(bank_conflicts(1) == 1);
  STATIC_REQUIRE(bank_conflicts(2) == 2);
  STATIC_REQUIRE(bank_conflicts(32) == 32);
  STATIC_REQUIRE(bank_conflicts(33) == 1);
  STATIC_REQUIRE(bank_conflicts(0) == 1);
}
