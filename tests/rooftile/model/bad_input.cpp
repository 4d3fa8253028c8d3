// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// What the model refuses, and that the message names it; bounds.cpp has where each argument ends.
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
#include "rooftile/model/occupancy_advice.hpp"
#include "rooftile/model/roofline.hpp"

using namespace rooftile;
using namespace rooftile::model;

namespace {

template <class Call>
void refuses(Call call, const std::string& named) {
  REQUIRE_THROWS_MATCHES(call(), Error,
                         Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(named)));
}

}  // namespace

TEST_CASE("occupancy refuses zero, negative and absurd numbers of a launch", "[model]") {
  const auto launched = [](const Launch& launch) {
    return [launch] { return occupancy(nvidia_limits(8, 0), launch); };
  };
  refuses(launched({.threads = 0}), "threads per block");
  refuses(launched({.threads = -32}), "threads per block");
  refuses(launched({.threads = std::numeric_limits<Count>::max()}), "threads per block");
  refuses(launched({.threads = 32, .registers = -1}), "registers per thread");
  refuses(launched({.threads = 32, .shared = -1}), "shared bytes per block");
  refuses(launched({.threads = 32, .barriers = -1}), "barriers per block");
  refuses(launched({.threads = 32, .assigned = -1}), "blocks assigned");
  refuses(launched({.threads = 32, .carveout_percent = 101}), "carve-out");
}

TEST_CASE("occupancy refuses zero, negative and absurd limits", "[model]") {
  const auto limited = [](const SmLimits& limits) {
    return [limits] { return occupancy(limits, {.threads = 32}); };
  };
  refuses(limited({.threads = 0}), "threads per SM");
  refuses(limited({.blocks = 0}), "blocks per SM");
  refuses(limited({.block_threads = -1}), "threads per block that the device takes");
  refuses(limited({.registers = 0}), "registers per SM");
  refuses(limited({.shared = -1}), "shared memory per SM");
  refuses(limited({.threads = 1'000'000'000'000}), "threads per SM");
}

TEST_CASE("sweeps refuse no step and no end", "[model]") {
  refuses([] { return sweep_shared(nvidia_limits(8, 0), {.threads = 32}, 0); }, "step");
  refuses([] { return sweep_shared({.threads = 2048}, {.threads = 32}, 1024); }, "without a limit");
  refuses([] { return sweep_registers({.threads = 2048}, {.threads = 32}); }, "without a limit");
}

TEST_CASE("what is not positive, or no number, is refused by its name", "[model]") {
  refuses([] { return ridge(0, 100); }, "peak");
  refuses([] { return ridge(100, -1); }, "bandwidth");
  refuses([] { return attainable(100, 100, 0); }, "intensity");
  refuses([] { return attainable(100, 100, std::numeric_limits<double>::quiet_NaN()); }, "intensity");
  refuses([] { return attainable(100, std::numeric_limits<double>::infinity(), 1); }, "bandwidth");
  refuses([] { return attainable(Ceilings{}, traffic({1, 1, 1}, cta(1, 1), 4)); }, "peak");
  refuses([] { return traffic({0, 1, 1}, cta(1, 1), 4); }, "empty product");
  refuses([] { return traffic({1, 1, 1}, square_tile(0), 4); }, "empty tile");
  refuses([] { return tiled_divergence({1, 1, 0}, 16); }, "no tiled product");
  refuses([] { return vector_divergence(0, 32); }, "no vector");
  refuses([] { return branch_divergence(0, 2); }, "no branch");
  refuses([] { return lost_issue_slots(0); }, "no path");
  refuses([] { return grid_over_sms(0, 32, 1, 1, 32); }, "no grid");
  refuses([] { return warps_to_hide(0, 4, 4); }, "no latency");
  refuses([] { return bytes_in_flight(1, 0); }, "nothing in flight");
  refuses([] { return channel_gbs(0, 1); }, "no memory bus");
  refuses([] { return channels_needed(0, 1); }, "no bandwidth");
  refuses([] { return banks_needed(0, 1); }, "no burst");
  refuses([] { return bank_conflicts(-1); }, "no shared-memory access");
  refuses([] { return variable_copies(0, 1); }, "empty launch");
}

TEST_CASE("what is too many to count is refused, and named", "[model]") {
  refuses([] { return warps_to_hide(1e30, 4, 4); }, "too many to count (6.25e+28 from 1e+30 cycles");
  refuses([] { return warps_to_hide(1, 1e300, 1e300); },
          "beyond what a double holds (inf from 1e+300 cycles");
  refuses([] { return threads_in_flight(1, 1e-300, 1); }, "1e-300 bytes of a thread");
  refuses([] { return threads_in_flight(1, 1e-300, 1e-300); }, "1e-300 accesses of 1e-300 bytes");
  refuses([] { return bytes_in_flight(1e300, 1e300); }, "inf from 1e+300 ns and 1e+300 GB/s");
  refuses([] { return bytes_in_flight(1e-300, 1e-300); }, "0 from 1e-300 ns");
  refuses([] { return channel_gbs(64, 1e308, 2); }, "1e+308 GHz");
  refuses([] { return channels_needed(1e308, 16); }, "1e+308 GB/s wanted");
  refuses([] { return banks_needed(1e300, 1e-300); }, "too many to count (inf from 1e+300 ns");
  refuses([] { return variable_copies(Count{1} << 40, Count{1} << 40); }, "too many threads to count");
  refuses(
      [] {
        return tiled_divergence({20'000'000, 20'000'000, 20'000'000}, 1);
      },
      "too many checks to count (20000000x20000000x20000000)");
  refuses([] { return vector_divergence(std::numeric_limits<Count>::max(), 2); },
          "no vector (9223372036854775807");
  refuses([] { return branch_divergence(32, std::numeric_limits<Count>::max(), 2); },
          "no branch (32 threads");
  refuses([] { return grid_over_sms(1, 32, Count{1} << 40, Count{1} << 40, 32); }, "no grid");
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
