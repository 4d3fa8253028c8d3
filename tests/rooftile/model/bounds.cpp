// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The minimum and maximum of each argument of the model. Other values are refused with the argument's name.
#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rooftile/model/architecture.hpp"
#include "rooftile/model/divergence.hpp"
#include "rooftile/model/grid.hpp"
#include "rooftile/model/latency.hpp"
#include "rooftile/model/memory.hpp"
#include "rooftile/model/occupancy.hpp"
#include "rooftile/model/occupancy_advice.hpp"
#include "rooftile/model/roofline.hpp"

using namespace rooftile;
using namespace rooftile::model;

namespace {

/// `call` takes one argument; all others are valid.
template <class Number, class Call>
void takes(Call call, Number least, Number most) {
  CAPTURE(least, most);
  CHECK_NOTHROW(call(least));
  CHECK_NOTHROW(call(most));
  CHECK_THROWS_AS(call(least - 1), Error);
  CHECK_THROWS_AS(call(most + 1), Error);
}

/// For arguments that may be any positive number, which the message states.
template <class Number = double, class Call>
void takes_positive(Call call) {
  CHECK_NOTHROW(call(Number{1}));
  for (const Number x : {Number{0}, Number{-1}}) {
    CHECK_THROWS_WITH(call(x), Catch::Matchers::ContainsSubstring("positive"));
  }
}

template <class Call>
void refuses(Call call, const std::string& named) {
  REQUIRE_THROWS_MATCHES(call(), Error,
                         Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(named)));
}

constexpr Count one = 1, none = 0;

}  // namespace

TEST_CASE("the numbers of a grid are at least 1 and at most what is counted", "[model]") {
  takes([](Count x) { return grid_over_sms(x, 1, 1, 1, 1); }, one, unlimited);
  takes([](Count x) { return grid_over_sms(1, x, 1, 1, 1); }, one, unlimited);
  takes([](Count x) { return grid_over_sms(1, 1, x, 1, 1); }, one, unlimited);
  takes([](Count x) { return grid_over_sms(1, 1, 1, x, 1); }, one, unlimited);
  takes([](Count x) { return grid_over_sms(1, 1, 1, 1, x); }, one, unlimited);
}

TEST_CASE("the sizes of a divergence are at least 1 and at most what is counted", "[model]") {
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

TEST_CASE("the numbers of a launch and of an SM have a least and a largest value", "[model]") {
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

TEST_CASE("sweeps without a step or an end are refused", "[model]") {
  refuses([] { return sweep_shared(nvidia_limits(8, 0), {.threads = 32}, 0); }, "step");
  refuses([] { return sweep_shared({.threads = 2048}, {.threads = 32}, 1024); }, "without a limit");
  refuses([] { return sweep_registers({.threads = 2048}, {.threads = 32}); }, "without a limit");
}

TEST_CASE("an intensity, a bandwidth or a peak that is not positive, or no number, is refused by its name",
          "[model]") {
  refuses([] { return attainable(100, 100, 0); }, "intensity");
  refuses([] { return attainable(100, 100, std::numeric_limits<double>::quiet_NaN()); }, "intensity");
  refuses([] { return attainable(100, std::numeric_limits<double>::infinity(), 1); }, "bandwidth");
  refuses([] { return attainable(Ceilings{}, traffic({1, 1, 1}, cta(1, 1), 4)); }, "peak");
  refuses([] { return lost_issue_slots(0); }, "too few paths");
  refuses([] { return bank_conflicts(-1); }, "invalid shared-memory access");
  refuses([] { return occupancy(nvidia_limits(8, 0), {.threads = -32}); }, "threads per block");
}

TEST_CASE("numbers that are too many to count are refused by their values", "[model]") {
  refuses([] { return warps_to_hide(1e30, 4, 4); }, "count too large (6.25e+28 from 1e+30 cycles");
  refuses([] { return warps_to_hide(1, 1e300, 1e300); },
          "outside the range of a double (inf from 1e+300 cycles");
  refuses([] { return threads_in_flight(1, 1e-300, 1); }, "1e-300 bytes of a thread");
  refuses([] { return threads_in_flight(1, 1e-300, 1e-300); }, "1e-300 accesses of 1e-300 bytes");
  refuses([] { return bytes_in_flight(1e300, 1e300); }, "inf from 1e+300 ns and 1e+300 GB/s");
  refuses([] { return bytes_in_flight(1e-300, 1e-300); }, "0 from 1e-300 ns");
  refuses([] { return channel_gbs(64, 1e308, 2); }, "1e+308 GHz");
  refuses([] { return channels_needed(1e308, 16); }, "1e+308 GB/s wanted");
  refuses([] { return banks_needed(1e300, 1e-300); }, "count too large (inf from 1e+300 ns");
  refuses([] { return variable_copies(Count{1} << 40, Count{1} << 40); }, "too many threads to count");
  refuses(
      [] {
        return tiled_divergence({20'000'000, 20'000'000, 20'000'000}, 1);
      },
      "too many checks to count (20000000x20000000x20000000)");
  refuses([] { return vector_divergence(std::numeric_limits<Count>::max(), 2); },
          "invalid vector (9223372036854775807");
  refuses([] { return branch_divergence(32, std::numeric_limits<Count>::max(), 2); },
          "invalid branch (32 threads");
  refuses([] { return grid_over_sms(1, 32, Count{1} << 40, Count{1} << 40, 32); }, "invalid grid");
  refuses([] { return ridge(1e300, 1e-300); }, "peak over bandwidth");
  CHECK(warps_to_hide(4e15, 1, 1) == 4'000'000'000'000'000);
  CHECK(tiled_divergence({2'000'000, 2'000'000, 2'000'000}, 16).warp_phases ==
        Count{125'000} * 125'000 * 8 * 125'000);
}

TEST_CASE("sweeps that would fill the memory are refused", "[model]") {
  const SmLimits large{.threads = 1 << 20, .registers = 1 << 30, .shared = 1 << 30};
  refuses([&] { return sweep_shared(large, {.threads = 32}, 1); }, "sweep too long (1073741824 rows");
  refuses([&] { return sweep_registers(large, {.threads = 1}); }, "sweep too long (1073741824 rows");
  refuses([] { return sweep_threads({}, {.threads = 1}); }, "sweep too long (67108863 rows");
}
