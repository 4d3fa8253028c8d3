// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "perf/providers/nvml.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rooftile::perf {
namespace {

TEST_CASE("the driver's library tells the clock and the power of the GPU at a bus", "[nvml]") {
  CHECK(Nvml("0000:01:00.0", ROOFTILE_NVML_STUB).clock_mhz() == 1980);
  CHECK(Nvml("0000:02:00.0", ROOFTILE_NVML_STUB).clock_mhz() == 0);
  CHECK(Nvml("", ROOFTILE_NVML_STUB).clock_mhz() == 0);
  CHECK(Nvml("0000:01:00.0", ROOFTILE_NVML_STUB).power_w() == 645);
  CHECK(Nvml("0000:02:00.0", ROOFTILE_NVML_STUB).power_w() == 0);
}

TEST_CASE("without the driver's library, or its functions, there is neither", "[nvml]") {
  CHECK(Nvml("0000:01:00.0", "/nowhere/libnvidia-ml.so.1").clock_mhz() == 0);
  CHECK(Nvml("0000:01:00.0", "libm.so.6").clock_mhz() == 0);
  CHECK(Nvml("0000:01:00.0", "libm.so.6").power_w() == 0);
}

}  // namespace
}  // namespace rooftile::perf
