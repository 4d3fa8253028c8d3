// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// CUPTI without a GPU: the counters of chips, and the refusal where it cannot be asked.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "perf/probes/cupti/metrics.hpp"
#include "perf/probes/cupti/range_profiler.hpp"

namespace rooftile::perf {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("every counter of ours has a name that each of today's chips knows", "[counters]") {
  const CuptiLibrary cupti({ROOFTILE_CUPTI});
  const std::set<std::string> if_the_chip_has_them = {"flops_fp16",  "tensor_fp64", "tensor_tf32",
                                                      "tensor_bf16", "tensor_fp16", "tensor_int8"};
  for (const char* chip : {"TU102", "GA100", "GA102", "AD102", "GH100"}) {
    CAPTURE(chip);
    RangeProfiler profiler(cupti, chip, cupti_names());
    CHECK((profiler.passes() > 1 && profiler.passes() < 20));
    std::map<std::string, double> values;
    for (const std::string& name : profiler.names()) values[name] = 1;
    const std::vector<Metric> metrics = metrics_of(values);
    for (const CuptiRow& row : cupti_rows) {
      const bool known =
          std::any_of(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.tag == row.tag; });
      CAPTURE(row.tag);
      CHECK((known || if_the_chip_has_them.contains(row.tag)));
      if (std::string(chip) == "GH100") CHECK(known);
    }
    CHECK(std::count_if(metrics.begin(), metrics.end(),
                        [](const Metric& m) { return m.tag.starts_with("stall_"); }) == 3);
  }
}

TEST_CASE("nothing is counted without CUPTI, its functions or a known chip", "[counters]") {
  CHECK_THROWS_WITH(
      CuptiLibrary({"/nowhere/libcupti.so.13"}),
      "CUPTI was not found (/nowhere/libcupti.so.13): install CUDA's CUPTI, or add its folder to "
      "LD_LIBRARY_PATH");
  CHECK_THROWS_WITH(
      RangeProfiler(CuptiLibrary({"/nowhere/x", "libm.so.6"}), "GH100", cupti_names()),
      "CUPTI lacks a function (cuptiProfilerHostInitialize): install that of CUDA 12.6 or newer");
  const CuptiLibrary cupti({ROOFTILE_CUPTI});
  CHECK_THROWS_WITH(RangeProfiler(cupti, "Z80", cupti_names()),
                    ContainsSubstring("CUPTI failed (cuptiProfilerHostInitialize, ") &&
                        ContainsSubstring("): see its list of supported devices"));
  CHECK_THROWS_WITH(RangeProfiler(cupti, "GH100", {"no such counter"}),
                    ContainsSubstring("CUPTI counts nothing on this GPU (GH100)"));
}

TEST_CASE("a refusal of the driver says how to be permitted", "[counters]") {
  const CuptiLibrary cupti({ROOFTILE_DRIVER_STUB});
  int nothing = 0;
  CHECK_THROWS_WITH(
      cupti.call("stub_no_privileges", nothing),
      "no permission for the GPU's counters (stub_no_privileges): run as root, or load the driver "
      "with NVreg_RestrictProfilingToAdminUsers=0");
  CHECK_THROWS_WITH(cupti.call("stub_busy", nothing),
                    "another profiler has the GPU's counters (stub_busy): end it");
}

}  // namespace
}  // namespace rooftile::perf
