// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// The least and the largest that each argument of the model may be, and what lies just beyond.
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rooftile/model/architecture.hpp"
#include "rooftile/model/divergence.hpp"
#include "rooftile/model/grid.hpp"
#include "rooftile/model/latency.hpp"
#include "rooftile/model/memory.hpp"
#include "rooftile/model/occupancy.hpp"
#include "rooftile/model/roofline.hpp"

using namespace rooftile;
using namespace rooftile::model;

namespace {

/// `call` takes one argument, the others being sound.
template <class Number, class Call>
void takes(Call call, Number least, Number most) {
  CAPTURE(least, most);
  CHECK_NOTHROW(call(least));
  CHECK_NOTHROW(call(most));
  CHECK_THROWS_AS(call(least - 1), Error);
  CHECK_THROWS_AS(call(most + 1), Error);
}

/// Of what any positive number may be, as the message says.
template <class Number = double, class Call>
void takes_positive(Call call) {
  CHECK_NOTHROW(call(Number{1}));
  for (const Number x : {Number{0}, Number{-1}}) {
    CHECK_THROWS_WITH(call(x), Catch::Matchers::ContainsSubstring("positive"));
  }
}

constexpr Count one = 1, none = 0;

}  // namespace

TEST_CASE("a grid's numbers reach from 1 to as many as are counted", "[model]") {
  takes([](Count x) { return grid_over_sms(x, 1, 1, 1, 1); }, one, unlimited);
  takes([](Count x) { return grid_over_sms(1, x, 1, 1, 1); }, one, unlimited);
  takes([](Count x) { return grid_over_sms(1, 1, x, 1, 1); }, one, unlimited);
  takes([](Count x) { return grid_over_sms(1, 1, 1, x, 1); }, one, unlimited);
  takes([](Count x) { return grid_over_sms(1, 1, 1, 1, x); }, one, unlimited);
}

TEST_CASE("the sizes of what diverges reach from 1 to as many as are counted", "[model]") {
  takes_positive<Count>([](Count m) { return tiled_divergence({m, 1, 1}, 16); });
  takes_positive<Count>([](Count n) { return tiled_divergence({1, n, 1}, 16); });
  takes_positive<Count>([](Count k) { return tiled_divergence({1, 1, k}, 16); });
  takes([](Count tile) { return tiled_divergence({1, 1, 1}, tile); }, one, Count{1024});
  takes([](Count warp) { return tiled_divergence({1, 1, 1}, 16, warp); }, one, unlimited);
  takes([](Count n) { return vector_divergence(n, 1024); }, one, unlimited);
  takes([](Count threads) { return vector_divergence(100, threads); }, one, unlimited);
  takes([](Count warp) { return vector_divergence(100, 32, warp); }, one, unlimited);
  takes([](Count threads) { return branch_divergence(threads, 2); }, one, unlimited);
  takes([](Count threshold) { return branch_divergence(32, threshold); }, none, unlimited);
  takes([](Count granule) { return branch_divergence(32, 2, granule); }, one, unlimited);
  takes([](Count warp) { return branch_divergence(32, 2, 1, warp); }, one, unlimited);
  CHECK(lost_issue_slots(1) == 0);
}

TEST_CASE("a launch's numbers reach from what it may do without to as many as are counted", "[model]") {
  const auto limited = [](Count SmLimits::*limit) {
    return [limit](Count x) {
      SmLimits limits;
      limits.*limit = x;
      return occupancy(limits, {.threads = 1});
    };
  };
  for (const auto limit :
       {&SmLimits::threads, &SmLimits::blocks, &SmLimits::block_threads, &SmLimits::registers}) {
    takes(limited(limit), one, unlimited);
  }
  takes(limited(&SmLimits::shared), none, unlimited);
  const auto launched = [](auto Launch::*part) {
    return [part](auto x) {
      Launch launch{.threads = 1};
      launch.*part = x;
      return occupancy({}, launch);
    };
  };
  takes(launched(&Launch::threads), one, unlimited);
  for (const auto part : {&Launch::registers, &Launch::shared, &Launch::barriers, &Launch::assigned}) {
    takes(launched(part), none, unlimited);
  }
  takes(launched(&Launch::carveout_percent), 0, 100);
}

TEST_CASE("latencies, rates and widths are positive, each of them", "[model]") {
  takes_positive([](double x) { return warps_to_hide(x, 1, 1); });
  takes_positive([](double x) { return warps_to_hide(1, x, 1); });
  takes_positive([](double x) { return warps_to_hide(1, 1, x); });
  takes_positive([](double x) { return bytes_in_flight(x, 1); });
  takes_positive([](double x) { return bytes_in_flight(1, x); });
  takes_positive([](double x) { return threads_in_flight(x, 1, 1); });
  takes_positive([](double x) { return threads_in_flight(1, x, 1); });
  takes_positive([](double x) { return threads_in_flight(1, 1, x); });
  takes_positive<Count>([](Count x) { return channel_gbs(x, 1); });
  takes_positive([](double x) { return channel_gbs(1, x); });
  takes_positive<Count>([](Count x) { return channel_gbs(1, 1, x); });
  takes_positive([](double x) { return channels_needed(x, 1); });
  takes_positive([](double x) { return channels_needed(1, x); });
  takes_positive([](double x) { return banks_needed(x, 1); });
  takes_positive([](double x) { return banks_needed(1, x); });
  takes_positive([](double x) { return ridge(x, 1); });
  takes_positive([](double x) { return ridge(1, x); });
  takes_positive<Count>([](Count x) { return bank_conflicts(1, x); });
  takes_positive<Count>([](Count x) { return bank_conflicts(1, 32, x); });
  CHECK(bank_conflicts(0) == 1);
  takes_positive<Count>([](Count x) { return variable_copies(x, 1); });
  takes_positive<Count>([](Count x) { return variable_copies(1, x); });
}

TEST_CASE("the largest numbers that are held are counted", "[model]") {
  constexpr double most = std::numeric_limits<double>::max();
  CHECK(warps_to_hide(0x1p53, 1, 1) == Count{1} << 53);
  CHECK(bytes_in_flight(most, 1) == most);
  CHECK(ridge(most, 1) == most);
}

TEST_CASE("products and tiles whose traffic is asked for have elements, in each direction", "[model]") {
  takes_positive<Index>([](Index m) { return traffic({m, 1, 1}, cta(1, 1), 4); });
  takes_positive<Index>([](Index n) { return traffic({1, n, 1}, cta(1, 1), 4); });
  takes_positive<Index>([](Index k) { return traffic({1, 1, k}, cta(1, 1), 4); });
  for (const auto part : {&TileShape::bm, &TileShape::bn, &TileShape::bk, &TileShape::tm, &TileShape::tn}) {
    takes_positive<int>([part](int width) {
      TileShape tile = cta(1, 1);
      tile.*part = width;
      return traffic({1, 1, 1}, tile, 4);
    });
  }
  CHECK_THROWS_AS(traffic({1, 1, 1}, cta(1, 1), 0), Error);
  CHECK_NOTHROW(traffic({1, 1, 1}, cta(1, 1), 1));
  takes_positive<Count>([](Count warp) { return traffic({1, 1, 1}, cta(1, 1), 4, warp); });
}
