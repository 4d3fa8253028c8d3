// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/model/roofline.hpp"

#include <cmath>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "plan/costs/find_costs.hpp"
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
  // 16×16 threads: a warp covers 2 rows and 16 columns. 32×8 (x × y): 1 row and 32 columns.
  STATIC_REQUIRE(traffic(shape, cta(16, 16), 4).l1_bytes == 4 * fmas * (1.0 / 16 + 1.0 / 2));
  STATIC_REQUIRE(traffic(shape, cta(8, 32), 4).l1_bytes == 4 * fmas * (1.0 / 32 + 1));
  STATIC_REQUIRE(traffic(shape, cta(16, 16), 4, 64).l1_bytes == 4 * fmas * (1.0 / 16 + 1.0 / 4));
  // With several elements per thread: 8 threads along a row and 4 along a column, i.e. 8·8 columns and 4·2
  // rows.
  constexpr Traffic wide = traffic(shape, {64, 128, 8, 2, 8}, 4);
  STATIC_REQUIRE(wide.l1_bytes == 4 * (fmas * (1.0 / 64 + 1.0 / 8) + wide.requests));
  constexpr Traffic narrow = traffic(shape, {64, 16, 8, 2, 8}, 4);  // 2 threads per row, and 16 rows
  STATIC_REQUIRE(narrow.l1_bytes == 4 * (fmas * (1.0 / 16 + 1.0 / 32) + narrow.requests));
}

TEST_CASE("memory traffic row by row of blocks agrees with the counters of a GeForce RTX 3070", "[model]") {
  // facts.md §6, 2000×3000, k=2500. That file writes CTAs as x × y.
  const auto intensity = [](const TileShape& tile) {
    return traffic({2000, 3000, 2500}, tile, 4).dram_intensity_by_rows();
  };
  const std::pair<TileShape, double> counted[] = {
      {square_tile(8), 3.87}, {square_tile(16), 7.45}, {square_tile(32), 14.05}, {cta(16, 16), 7.48},
      {cta(32, 32), 14.22},   {cta(32, 8), 14.22},     {cta(8, 32), 3.88},       {cta(4, 64), 1.98}};
  for (const auto& [tile, of_counters] : counted) CHECK_THAT(intensity(tile), WithinRel(of_counters, 0.1));
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

TEST_CASE("memory is kept busy by Little's law, and banks conflict where threads meet in one", "[model]") {
  STATIC_REQUIRE(bytes_in_flight(500, 1600) == 800'000);
  STATIC_REQUIRE(threads_in_flight(800'000, 4, 1) == 200'000);
  STATIC_REQUIRE(threads_in_flight(800'000, 4, 4) == threads_in_flight(800'000, 16, 1));
  STATIC_REQUIRE(banks_needed(20, 1) == 21);
  STATIC_REQUIRE((bank_conflicts(1) == 1 && bank_conflicts(2) == 2));
  STATIC_REQUIRE((bank_conflicts(32) == 32 && bank_conflicts(33) == 1));
}

TEST_CASE("every device has rates, a clock and a bandwidth that are positive and finite", "[model][costs]") {
  for (const Device& device : devices) {
    INFO(device.name);
    const Costs costs = costs_of(device);
    const Rates& rates = costs.rates;
    for (const double figure :
         {rates.lanes, rates.matrix_fp64, rates.matrix_32, rates.matrix_16, costs.clock_mhz,
          costs.bandwidth_gbs, costs.int8_start, costs.int8_tile, costs.int8_multiply_adds, costs.int8_bytes})
      CHECK((figure > 0 && std::isfinite(figure)));
  }
}

TEST_CASE("architectures multiply at the rates of their devices' data sheets", "[model][costs]") {
  for (const char* const name : {"A100", "MI250X", "MI300X"}) {
    INFO(name);
    const Device& device = find_device(name);
    const Rates row = costs_of(device).rates, sheet = model::detail::rates_of(device);
    for (const auto rate : {&Rates::lanes, &Rates::matrix_fp64, &Rates::matrix_32, &Rates::matrix_16})
      CHECK_THAT(row.*rate, WithinRel(sheet.*rate, 0.01));
  }
  CHECK(costs_of(find_device("H200")).rates == sm_90.rates);
}

TEST_CASE("other devices multiply as their data sheets say, else as an H100", "[model][costs]") {
  const Rates ada = costs_of(find_device("RTX 4090")).rates, volta = costs_of(find_device("V100")).rates;
  CHECK(ada.lanes == 1);
  CHECK_THAT(ada.matrix_fp64, WithinRel(64.0, 0.01));  // no matrix instructions: two fp64 lanes
  CHECK_THAT(ada.matrix_16, WithinRel(0.5, 0.01));
  CHECK(volta.lanes == 2);
  CHECK_THAT(volta.matrix_16, WithinRel(0.25, 0.01));
  CHECK(volta.matrix_32 == sm_90.rates.matrix_32);
  CHECK((unknown_costs.rates == sm_90.rates && unknown_costs.clock_mhz == sm_90.clock_mhz));
}

TEST_CASE("a device that is here has the costs of the table's, or of its architecture", "[model][costs]") {
  const auto here = [](std::string_view name, Vendor vendor, std::string_view architecture) {
    Device told;
    told.name = name, told.vendor = vendor, told.architecture = architecture;
    told.sms = 48, told.clock_mhz = 990, told.bandwidth_gbs = 2400;
    return costs_here(told);
  };
  const Costs h200 = here("NVIDIA H200", Vendor::nvidia, "9.0");
  CHECK((h200.clock_mhz == 1980 && h200.bandwidth_gbs == 4800 && !h200.is_generic));
  const Costs pcie = here("NVIDIA H800 PCIe", Vendor::nvidia, "9.0");
  CHECK((pcie.clock_mhz == 990 && pcie.bandwidth_gbs == 2400 && !pcie.is_generic));
  CHECK(pcie.int8_start == h200.int8_start / 2);  // equal seconds
  const Costs turing = here("Quadro RTX 5000", Vendor::nvidia, "7.5");
  CHECK((turing.rates == costs_of(find_device("T4")).rates && turing.is_generic));
  CHECK(turing.clock_mhz == 990);
  const Costs cdna = here("AMD Instinct MI300A", Vendor::amd, "gfx942:sramecc+:xnack-");
  CHECK((cdna.rates.matrix_32 == 1 && cdna.bandwidth_gbs == 2400 && cdna.is_generic));
  const Costs unknown = here("a GPU", Vendor::nvidia, "99.0");
  CHECK((unknown.rates == sm_90.rates && unknown.clock_mhz == 990 && unknown.is_generic));
}
