// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/ceilings.hpp"

#include <limits>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "perf/record/data_sheet.hpp"

namespace rooftile::perf {
namespace {

TEST_CASE("a mode's ceiling is that of the fastest units for its operands, shared by its terms",
          "[ceilings]") {
  Ceilings c{60, 30, 4};
  CHECK(c.gflops(Math::fp32) == 60);
  CHECK(c.gflops(Math::cfp64) == 30);
  CHECK(c.gflops(Math::bf16) == 0);
  c.matrix_gflops = {{"fp64", 66}, {"tf32", 480}, {"int8", 1400}, {"tf32 by mma.sync", 300}, {"fp16", 50}};
  CHECK(c.gflops(Math::fp32) == 60);
  CHECK(c.gflops(Math::fp64) == 66);
  CHECK(c.gflops(Math::tf32) == 480);
  CHECK(c.gflops(Math::tf32x3) == 160);
  CHECK(c.gflops(Math::fp64_int8) == 100);
  CHECK(c.gflops(Math::cfp64_int8) == 1400 / 10.5);  // 3M
  CHECK(c.gflops(Math::fp16_fp32) == 50);
  CHECK(c.gflops(Math::bf16) == 0);
}

TEST_CASE("ceilings are set beside the data sheet of a device that the table has", "[ceilings]") {
  Ceilings c{33450, 16750, 3600};
  c.matrix_gflops = {{"fp64", 60210}, {"tf32 by mma.sync", 300000}, {"int8", 989450}};
  CHECK(share_of_data_sheet("NVIDIA H200", c, "of it ") ==
        "of it 0.50 fp32, 0.50 fp64, 0.90 matrix fp64, 0.50 matrix int8, 0.75 memory");
  CHECK(share_of_data_sheet("NVIDIA H200", {}, "of it ").empty());
  CHECK(share_of_data_sheet("Xeon", c, "of it ").empty());
}

TEST_CASE("chains of multiply-adds give what is said of them", "[ceilings]") {
  CHECK(fma_chains<10>(1e-6) == Catch::Approx(sum_of_fma_chains(10, 1e-6)).epsilon(1e-9));
  CHECK(static_cast<double>(fma_chains<8>(1e-6F)) ==
        Catch::Approx(sum_of_fma_chains(8, 1e-6)).epsilon(chain_tolerance));
}

TEST_CASE("a ceiling whose kernel computed something else is refused", "[ceilings]") {
  require_result("sums", 7, 7);
  require_result("chains", 1.0001, 1, 1e-3);
  for (const double wrong : {6.0, 0.0, -7.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(require_result("sums", wrong, 7, 1e-3), Error);
  }
}

TEST_CASE("the ceilings in words name what was measured", "[ceilings]") {
  Ceilings c{60, 30, 4};
  CHECK(in_words(c) == "60 GFLOP/s fp32, 30 GFLOP/s fp64; 4 GB/s");
  c.matrix_gflops = {{"bf16", 900}, {"int8", 1800}}, c.levels_gbs = {{"L2", 8}}, c.launch_us = 2.5;
  c.clock_mhz = 1980;
  CHECK(
      in_words(c) ==
      "60 GFLOP/s fp32, 30 GFLOP/s fp64; of matrix instructions 900 bf16, 1800 int8; 4 GB/s, 8 L2; 2.5 us a "
      "launch; at 1980 MHz");
}

}  // namespace
}  // namespace rooftile::perf
