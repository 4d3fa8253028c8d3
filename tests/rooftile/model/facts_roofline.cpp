// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// facts.md §2, intensity and roofline: a test for each row, named by it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/model/find_device.hpp"
#include "rooftile/model/memory.hpp"
#include "rooftile/model/roofline.hpp"

using namespace rooftile;
using namespace rooftile::model;
using Catch::Matchers::WithinAbs;

namespace {

constexpr GemmShape cube(Index n) {
  return {n, n, n};
}

}  // namespace

TEST_CASE("§2 naive fp32 matmul, 2 loads (8 B) per multiply-add: 0.25 FLOP/B", "[model][facts]") {
  STATIC_REQUIRE(traffic(cube(512), cta(16, 16), 4).request_intensity() == 0.25);
  STATIC_REQUIRE(traffic({100, 70, 33}, cta(8, 32), 4).request_intensity() == 0.25);
}

TEST_CASE("§2 A100: 1,555 GB/s × 0.25 is 388.75 GFLOP/s, 2.0 % of 19,500: memory-bound", "[model][facts]") {
  const Device& a100 = find_device("A100");
  const Attainable naive =
      attainable(a100.peak_gflops(Precision::fp32, Pipe::vector), a100.bandwidth_gbs, 0.25);
  REQUIRE(naive.gflops == 388.75);
  REQUIRE_THAT(naive.fraction_of_peak, WithinAbs(0.020, 0.0005));
  REQUIRE(naive.bound == Bound::memory);
}

TEST_CASE("§2 A100 ridge point 19,500 / 1,555: 12.54 FLOP/B, 50.2 FLOP per 4-byte value", "[model][facts]") {
  const Device& a100 = find_device("A100");
  const double at = ridge(a100.peak_gflops(Precision::fp32, Pipe::vector), a100.bandwidth_gbs);
  REQUIRE_THAT(at, WithinAbs(12.54, 0.005));
  REQUIRE_THAT(at * bytes_of(Precision::fp32), WithinAbs(50.2, 0.05));
}

TEST_CASE("§2 T×T tiles cut global traffic by T: 16 gives 4 FLOP/B, 32 gives 8", "[model][facts]") {
  STATIC_REQUIRE(traffic(cube(1024), square_tile(16), 4).request_intensity() == 4);
  STATIC_REQUIRE(traffic(cube(1024), square_tile(32), 4).request_intensity() == 8);
}

TEST_CASE("§2 requests to global memory, N×N inputs: untiled 2·N³, tiled 2·N³/T", "[model][facts]") {
  constexpr double n = 512;
  STATIC_REQUIRE(traffic(cube(512), cta(16, 16), 4).requests == 2 * n * n * n);
  STATIC_REQUIRE(traffic(cube(512), square_tile(16), 4).requests == 2 * n * n * n / 16);
}

TEST_CASE("§2 8×8 matrix, 2×2 and 4×4 tiles: 4 and 2 phases, each element loaded 4 and 2 times",
          "[model][facts]") {
  constexpr Traffic two = traffic(cube(8), square_tile(2), 4);
  STATIC_REQUIRE((two.phases == 4 && two.a_loads == 4 && two.b_loads == 4));
  constexpr Traffic four = traffic(cube(8), square_tile(4), 4);
  STATIC_REQUIRE((four.phases == 2 && four.a_loads == 2 && four.b_loads == 2));
}

TEST_CASE("§2 G80: 86.4 GB/s are 21.6 Gvalues/s fp32 (peak 367), with 16×16 tiles 345.6 GFLOP/s",
          "[model][facts]") {
  const Device& g80 = find_device("G80");
  const double peak = g80.peak_gflops(Precision::fp32, Pipe::vector);
  REQUIRE(peak == 367);
  REQUIRE_THAT(g80.bandwidth_gbs / bytes_of(Precision::fp32), WithinAbs(21.6, 1e-9));
  const double tiled = traffic(cube(1024), square_tile(16), 4).request_intensity();
  REQUIRE_THAT(attainable(peak, g80.bandwidth_gbs, tiled).gflops, WithinAbs(345.6, 1e-9));
}

TEST_CASE("§2 36 FLOP and 7 four-byte accesses: 1.286 FLOP/B, memory-bound or compute-bound",
          "[model][facts]") {
  constexpr double intensity = 36.0 / (7 * 4);
  REQUIRE_THAT(intensity, WithinAbs(1.286, 0.0005));
  const Attainable slow = attainable(200, 100, intensity);
  REQUIRE_THAT(slow.gflops, WithinAbs(128.6, 0.05));
  REQUIRE(slow.bound == Bound::memory);
  const Attainable fast = attainable(300, 250, intensity);
  REQUIRE((fast.gflops == 300 && fast.bound == Bound::compute));
  REQUIRE_THAT(250 * intensity, WithinAbs(321.4, 0.05));
}

TEST_CASE("§2 24 B with 10 FLOP, 129 shared floats, 1,024 threads in blocks of 128", "[model][facts]") {
  REQUIRE_THAT(10.0 / 24, WithinAbs(0.417, 0.0005));
  STATIC_REQUIRE(129 * bytes_of(Precision::fp32) == 516);
  STATIC_REQUIRE(variable_copies(1024 / 128, 128).shared == 8);
  STATIC_REQUIRE(variable_copies(1024 / 128, 128).automatic == 1024);
}

TEST_CASE("§2 1,000 blocks × 512 threads: 512,000 copies of an automatic variable, 1,000 of a shared one",
          "[model][facts]") {
  STATIC_REQUIRE(variable_copies(1000, 512).automatic == 512'000);
  STATIC_REQUIRE(variable_copies(1000, 512).shared == 1000);
}

TEST_CASE("§2 peak rate from cores × clock × 2: GK107 812.5 GFLOP/s, GM107 1,305.6 GFLOP/s",
          "[model][facts]") {
  const auto of_cores = [](const Device& device) { return peak_of_cores(device.cores, device.clock_mhz); };
  const Device& gk107 = find_device("GK107");
  REQUIRE((gk107.cores == 384 && gk107.clock_mhz == 1058));
  REQUIRE_THAT(of_cores(gk107), WithinAbs(812.5, 0.05));
  const Device& gm107 = find_device("GM107");
  REQUIRE((gm107.cores == 640 && gm107.clock_mhz == 1020));
  REQUIRE_THAT(of_cores(gm107), WithinAbs(1305.6, 0.05));
}
