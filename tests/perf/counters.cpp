// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// What is made of counters, whoever reads them; a source of a test's own stands for the hardware.
#include "perf/probes/counters.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "fake_device.hpp"
#include "perf/probes/cupti/metrics.hpp"
#include "perf/record/counters.hpp"
#include "perf/writers/counters_table.hpp"

namespace rooftile::perf {
namespace {

using Catch::Matchers::ContainsSubstring;

/// Counts launches in three passes, or is not allowed to.
bool permitted = true;
int asked = 0;
const CounterSource source{[](const Device& device) { return device.backend == "counted"; },
                           [](const Counted& what) -> std::vector<Metric> {
                             ++asked;
                             if (!permitted) throw NoCounters("no permission (test): ask");
                             for (int pass = 0; pass < 3; ++pass) {
                               if (what.cold) what.device.flush_caches();
                               what.device.seconds(what.launch);
                             }
                             return {{"dram_bytes", 7, "B"}};
                           }};

TEST_CASE("counters are read by the source that is for the device", "[counters]") {
  testing::FakeDevice device;
  int launches = 0;
  const std::function<void()> launch = [&] { ++launches; };
  device.backend = "counted";
  permitted = true;
  Counters counters;
  const auto metrics = counters.of({device, launch, true});
  CHECK((launches == 3 && device.flushes == 3));
  REQUIRE(metrics.size() == 1);
  CHECK(metrics[0].value == 7);
  CHECK(counters.refused().empty());
}

TEST_CASE("a device whose counters are refused is asked once, and says why once", "[counters]") {
  testing::FakeDevice device, other;
  device.backend = other.backend = "counted";
  const std::function<void()> launch = [] {};
  Counters counters;
  permitted = false, asked = 0;
  CHECK((counters.of({device, launch}).empty() && counters.of({device, launch}).empty()));
  CHECK(asked == 1);
  const std::vector<Absent> refused = counters.refused();
  REQUIRE(refused.size() == 1);
  CHECK((refused[0].what == "counters of counted" && refused[0].why == "no permission (test): ask"));
  CHECK(counters.refused().empty());
  permitted = true;
  CHECK(counters.of({other, launch}).size() == 1);
}

TEST_CASE("a device that nothing counts on says what to build with", "[counters]") {
  testing::FakeDevice device;
  const std::function<void()> launch = [] {};
  CHECK_THROWS_WITH(counted({device, launch}),
                    "this build counts nothing there (fake): build with PAPI (Debian: libpapi-dev)");
  device.backend = "hip";
  CHECK_THROWS_WITH(counted({device, launch}), ContainsSubstring("AMD's have no source here"));
}

TEST_CASE("what profilers name apart is one counter of ours", "[counters]") {
  const auto op = [](const std::string& name) {
    return "smsp__sass_thread_inst_executed_op_" + name + "_pred_on.sum";
  };
  const auto metrics = metrics_of({{op("ffma"), 10},
                                   {op("fadd"), 3},
                                   {op("fmul"), 1},
                                   {op("dfma"), 0},
                                   {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 2},
                                   {"l1tex__t_bytes.sum", 44},
                                   {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 0},
                                   {stall_name("barrier"), 1},
                                   {stall_name("wait"), 4},
                                   {stall_name("lg_throttle"), 3},
                                   {stall_name("membar"), 2},
                                   {stall_name("gmma"), 0}});
  CHECK(counter(metrics, "flops_fp32") == 24);
  CHECK_FALSE(counter(metrics, "flops_fp64"));  // none
  CHECK_FALSE(counter(metrics, "dram_bytes"));  // not read
  CHECK(counter(metrics, "shared_bank_conflicts") == 0);
  CHECK(counter(metrics, "shared_bytes") == 256);
  CHECK(counted_inner_bytes(metrics) == 300);
  CHECK(counted_flops(metrics) == 24);
  CHECK(stalls_in_words(metrics) == "wait 4, lg_throttle 3, membar 2");
  CHECK(metrics_of({}).empty());
  CHECK_FALSE(counted_flops({}));
  CHECK_FALSE(counted_inner_bytes({{"l1_bytes", 1, "B"}}));
}

TEST_CASE("counters stand beside the model of the product", "[counters]") {
  Result r;
  r.shape = {2, 3, 4}, r.seconds.median = 2, r.gflops = 3e-9, r.intensity = 0.5;  // 6 FLOP, 12 bytes
  CHECK((modelled_flops(r) == 6 && modelled_bytes(r) == 12));
  r.counters = {{"flops_fp32", 4, ""}, {"tensor_tf32", 5, ""}, {"dram_bytes", 24, "B"}};
  std::vector<std::string> cells;
  for (const CountersColumn& column : counters_columns()) {
    if (const std::string cell = column.cell(r); !cell.empty()) cells.push_back(column.heading + ' ' + cell);
  }
  CHECK(cells == std::vector<std::string>{"GFLOP 9e-09", "of model 1.5", "DRAM MB 2.4e-05", "of model 2"});
  r.alpha = 0;  // nothing is multiplied
  CHECK((modelled_flops(r) == 0 && modelled_bytes(r) == 0));
}

}  // namespace
}  // namespace rooftile::perf
