// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// CUPTI without a GPU: the counters of each chip, and the refusal if CUPTI is not available.
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

TEST_CASE("nothing is counted without CUPTI, its functions, a known chip or permission", "[counters]") {
  CHECK_THROWS_WITH(CuptiLibrary({"/nowhere/libcupti.so.13"}),
                    ContainsSubstring("CUPTI was not found (/nowhere/libcupti.so.13)"));
  CHECK_THROWS_WITH(RangeProfiler(CuptiLibrary({"/nowhere/x", "libm.so.6"}), "GH100", cupti_names()),
                    ContainsSubstring("CUPTI lacks a function (cuptiProfilerHostInitialize)"));
  const CuptiLibrary cupti({ROOFTILE_CUPTI}), stub({ROOFTILE_DRIVER_STUB});
  CHECK_THROWS_WITH(RangeProfiler(cupti, "Z80", cupti_names()),
                    ContainsSubstring("CUPTI failed (cuptiProfilerHostInitialize, "));
  CHECK_THROWS_WITH(RangeProfiler(cupti, "GH100", {"no such counter"}),
                    ContainsSubstring("CUPTI counts nothing on this GPU (GH100)"));
  int nothing = 0;
  CHECK_THROWS_WITH(stub.call("stub_no_privileges", nothing),
                    ContainsSubstring("no permission for the GPU's counters (stub_no_privileges)"));
  CHECK_THROWS_WITH(stub.call("stub_busy", nothing),
                    ContainsSubstring("another profiler has the GPU's counters (stub_busy)"));
}

}  // namespace
}  // namespace rooftile::perf
