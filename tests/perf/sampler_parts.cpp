// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What sample() is made of; sample.cpp tests it as a whole.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "perf/measure/sampler.hpp"
#include "perf/measure/tuner.hpp"
#include "perf/progress.hpp"
#include "perf/providers/ladder_candidates.hpp"

namespace rooftile::perf {
namespace {

constexpr std::size_t fp32 = 4, fp64 = 8;

bool rises(const std::vector<Index>& rows) {
  return std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end();
}

TEST_CASE("a small product is checked in every row", "[sampler]") {
  for (const GemmShape shape :
       {GemmShape{1, 1, 1}, {2, 9, 9}, {1000, 1000, 1000}, {4096, 4096, 4096}, {50, 0, 3}, {50, 3, 0}}) {
    const auto rows = rows_to_check(shape);
    REQUIRE(static_cast<Index>(rows.size()) == shape.m);
    CHECK(rows.front() == 0);
    CHECK(rows.back() == shape.m - 1);
    CHECK(rises(rows));
  }
  CHECK(rows_to_check({0, 5, 5}).empty());
}

TEST_CASE("a large product is checked in as many rows as can be afforded", "[sampler]") {
  for (const GemmShape shape :
       {GemmShape{8192, 8192, 8192}, {1'000'000, 1000, 1000}, {250'001, 1000, 1000}, {300'000, 1000, 997}}) {
    const auto rows = rows_to_check(shape);
    const double affordable = full_reference / static_cast<double>(shape.n * shape.k);
    INFO(to_string(shape));
    CHECK(static_cast<double>(rows.size()) <= affordable);
    CHECK(static_cast<double>(rows.size()) > affordable - 1);
    CHECK(rows.front() == 0);
    CHECK(rows.back() == shape.m - 1);
    CHECK(rises(rows));
    // Evenly: no gap differs from another by more than one row.
    Index least = shape.m, most = 0;
    for (std::size_t r = 1; r < rows.size(); ++r) {
      least = std::min(least, rows[r] - rows[r - 1]), most = std::max(most, rows[r] - rows[r - 1]);
    }
    CHECK(most - least <= 1);
  }
}

TEST_CASE("the first and the last row are checked at any price", "[sampler]") {
  const Index large = 10'000'000;
  CHECK(rows_to_check({3, large, large}) == std::vector<Index>{0, 2});
  CHECK(rows_to_check({2, large, large}) == std::vector<Index>{0, 1});
  CHECK(rows_to_check({1, large, large}) == std::vector<Index>{0});
  CHECK(rows_to_check({large, large, large}) == std::vector<Index>{0, large - 1});
}

TEST_CASE("samples are summed up by their median", "[sampler]") {
  const Seconds odd = summarise({5, 1, 9});
  CHECK(odd.samples == std::vector<double>{5, 1, 9});  // as they were taken
  CHECK((odd.median == 5 && odd.min == 1 && odd.max == 9 && odd.count == 3));
  const Seconds even = summarise({8, 1, 4, 100});
  CHECK((even.median == 6 && even.min == 1 && even.max == 100 && even.count == 4));
  const Seconds one = summarise({3});
  CHECK((one.median == 3 && one.min == 3 && one.max == 3 && one.count == 1));
}

TEST_CASE("an interval of the median is of samples that binomial odds choose", "[sampler]") {
  // Table of the sign test: 6 is the first count whose extremes hold 95 %; of 15 the 4th and the 12th.
  for (std::size_t few = 0; few < 6; ++few) CHECK(median_ranks(few) == std::pair<std::size_t, std::size_t>{});
  CHECK(median_ranks(6) == std::pair<std::size_t, std::size_t>{0, 5});
  CHECK(median_ranks(8) == std::pair<std::size_t, std::size_t>{0, 7});
  CHECK(median_ranks(9) == std::pair<std::size_t, std::size_t>{1, 7});
  CHECK(median_ranks(15) == std::pair<std::size_t, std::size_t>{3, 11});
  CHECK(median_ranks(100) == std::pair<std::size_t, std::size_t>{39, 60});
  CHECK(median_interval({1, 2, 3, 4, 5}) == std::pair{0.0, 0.0});
  CHECK(median_interval({1, 2, 3, 4, 5, 9}) == std::pair{1.0, 9.0});
  const Seconds s = summarise({9, 1, 5, 3, 4, 2});
  CHECK((s.low == 1 && s.high == 9));
}

TEST_CASE("outliers are beyond Tukey's fences", "[sampler]") {
  // Quartiles 2 and 4: fences at -1 and 7.
  CHECK(summarise({1, 2, 3, 4, 7}).outliers.empty());
  CHECK(summarise({7.5, 2, 3, 4, 1}).outliers == std::vector<std::size_t>{0});
  CHECK(summarise({3, 2, 4, -1.5, 3, 2, 4, 8}).outliers == std::vector<std::size_t>{3, 7});
  CHECK(summarise({5}).outliers.empty());
  CHECK(summarise({5, 5, 5, 5, 6}).outliers == std::vector<std::size_t>{4});
}

TEST_CASE("a clock that falls between samples is no steady one", "[sampler]") {
  Seconds s;
  CHECK_FALSE(is_throttled(s));
  CHECK(clock_and_power(s) == "-, -");
  s.clocks_mhz = {3000, 2900, 3000};
  CHECK_FALSE(is_throttled(s));
  s.clocks_mhz = {3000, 2800};
  CHECK(is_throttled(s));
  s.clocks_mhz = {1200, 2800, 2900};  // out of idleness
  CHECK_FALSE(is_throttled(s));
  CHECK(clock_and_power(s) == "2800 MHz, -");
  s.power_w = {90, 60.4, 80};
  CHECK(clock_and_power(s) == "2800 MHz, 80 W");
  s.clocks_mhz = {1200, 2800, 2600};
  CHECK(is_throttled(s));
}

TEST_CASE("the time left is by the work left", "[sampler]") {
  TimeLeft left({1, 3, 4});
  CHECK((left.seconds() < 0 && left.text() == "1 of 3: "));
  left.done(10);
  CHECK((left.seconds() == 70 && left.text() == "2 of 3, 1:10 left: "));
  left.done(10);
  CHECK(left.seconds() == 20);
  left.done(1);
  CHECK((left.seconds() == 0 && left.text().empty()));
  CHECK(TimeLeft({5}).text().empty());
}

TEST_CASE("a run without options measures as published results were measured", "[sampler]") {
  const Sampling plain;
  CHECK((plain.samples == 15 && plain.seconds == 1 && plain.least == 3));
  CHECK((plain.reference == full_reference && plain.error == 0 && !plain.cold));
  CHECK((shortest_sample == 1e-5 && max_runs == 1024));
  const TuneSettings tune;
  CHECK((tune.search.samples == 5 && tune.search.seconds == 0.2 && tune.search.least == 2));
  CHECK((tune.last.samples == plain.samples && tune.margin == 0.03));
}

TEST_CASE("numbers are spread from the first to the last", "[sampler]") {
  CHECK(evenly_spread(0, 5).empty());
  CHECK(evenly_spread(5, 2) == std::vector<Index>{0, 4});
  CHECK(evenly_spread(5, 4) == std::vector<Index>{0, 1, 2, 4});
  CHECK(evenly_spread(5, 5) == std::vector<Index>{0, 1, 2, 3, 4});
  CHECK(evenly_spread(5, 6) == std::vector<Index>{0, 1, 2, 3, 4});
}

double request(Kernel kernel, TileShape tile, Type type = Type::fp32) {
  return request_intensity(rung_of(kernel), tile, type);
}

TEST_CASE("kernels ask memory for what the textbooks say", "[sampler]") {
  // facts.md §2
  CHECK(request(Kernel::naive, cta(16, 16)) == 0.25);
  CHECK(request(Kernel::tiled, square_tile(16)) == 4);
  CHECK(request(Kernel::tiled, square_tile(32)) == 8);
  // T×T tiles cut the traffic by T, whatever the type.
  for (const int width : {8, 16, 32}) {
    CHECK(request(Kernel::tiled_checked, square_tile(width), Type::fp64) ==
          width * request(Kernel::naive, cta(16, 16), Type::fp64));
  }
}

TEST_CASE("without tiles of A and B, the shape of a block changes nothing", "[sampler]") {
  for (const TileShape tile : rung_of(Kernel::naive).tiles) CHECK(request(Kernel::naive, tile) == 0.25);
  CHECK(request(Kernel::single_block, {}) == 0.25);
  CHECK(request(Kernel::single_block, {}, Type::fp64) == 0.125);
}

TEST_CASE("an oblong tile asks by both its edges", "[sampler]") {
  // Of A a row in 128, of B a column in 64: 2 FLOP per (1/128 + 1/64) of 4 bytes.
  const double asked = request(Kernel::tiled, {64, 128, 8, 4, 4});
  CHECK(asked > 21.33);
  CHECK(asked < 21.34);
}

}  // namespace
}  // namespace rooftile::perf
