// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Ceilings, probes, and counters with a source that the tests define.
#include <chrono>
#include <limits>
#include <thread>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_device.hpp"
#include "perf/measure/ceilings.hpp"
#include "perf/probes/counters.hpp"
#include "perf/probes/cupti/metrics.hpp"
#include "perf/probes/probe.hpp"
#include "perf/record/counters.hpp"
#include "perf/record/data_sheet.hpp"
#include "perf/writers/counters_table.hpp"

namespace rooftile::perf {
namespace {

TEST_CASE("a mode's ceiling is that of the fastest units for its operands, divided by its products",
          "[ceilings]") {
  Ceilings c{60, 30, 4};
  CHECK((c.gflops(ComputeMode::fp32) == 60 && c.gflops(ComputeMode::cfp64) == 30 &&
         c.gflops(ComputeMode::bf16) == 0));
  c.matrix_gflops = {{"fp64", 66}, {"tf32", 480}, {"int8", 1400}, {"tf32 by mma.sync", 300}, {"fp16", 50}};
  for (const auto& [math, gflops] : {std::pair{ComputeMode::fp32, 60.0},
                                     {ComputeMode::fp64, 66},
                                     {ComputeMode::tf32, 480},
                                     {ComputeMode::tf32x3, 160},
                                     {ComputeMode::fp64_int8, 100},
                                     {ComputeMode::cfp64_int8, 1400 / 10.5},  // three products, not four
                                     {ComputeMode::fp16_fp32, 50},
                                     {ComputeMode::bf16, 0}})
    CHECK(c.gflops(math) == gflops);
}

TEST_CASE("ceilings are set beside the data sheet of a device that the table has", "[ceilings]") {
  Ceilings c{33450, 16750, 3600};
  c.matrix_gflops = {{"fp64", 60210}, {"tf32 by mma.sync", 300000}, {"int8", 989450}};
  CHECK(share_of_data_sheet("NVIDIA H200", c, "of it ") ==
        "of it 0.50 fp32, 0.50 fp64, 0.90 matrix fp64, 0.50 matrix int8, 0.75 memory");
  CHECK((share_of_data_sheet("NVIDIA H200", {}, "").empty() && share_of_data_sheet("Xeon", c, "").empty()));
}

TEST_CASE("chains of multiply-adds have the predicted sum", "[ceilings]") {
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

/// The metrics of a tag. Other probes of the build may add metrics.
std::vector<Metric> tagged(const std::string& tag, std::vector<Metric> metrics) {
  std::erase_if(metrics, [&](const Metric& m) { return m.tag != tag; });
  return metrics;
}

TEST_CASE("the host's share of a call is measured on GPUs alone", "[probe]") {
  testing::FakeDevice device;
  int calls = 0;
  const auto launch = [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  device.backend = "cuda";
  const auto metrics = tagged("host_time", probed(device, launch));
  REQUIRE(metrics.size() == 1);
  CHECK(metrics[0].unit == "us");
  CHECK(metrics[0].value >= 2000);
  CHECK(calls >= 3);
  CHECK(tagged("page_faults", probed(device, launch)).empty());
  device.backend = "openmp";
  CHECK(tagged("host_time", probed(device, launch)).empty());
}

TEST_CASE("page faults of a product are counted on a CPU", "[probe]") {
  testing::FakeDevice device;
  const auto count = [&](std::size_t pages) {
    const auto metrics = tagged("page_faults", probed(device, [&] {
                                  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)),
                                                    bytes = (pages + 1) * page;
                                  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                                  REQUIRE(memory != MAP_FAILED);
                                  madvise(memory, bytes, MADV_NOHUGEPAGE);
                                  for (std::size_t i = 0; i < pages; ++i)
                                    static_cast<volatile char*>(memory)[i * page] = 1;
                                  munmap(memory, bytes);
                                }));
    REQUIRE(metrics.size() == 1);
    CHECK(metrics[0].unit.empty());
    return metrics[0].value;
  };
  count(1);  // excludes work of the first call only
  CHECK(count(100) >= 100);
  CHECK(count(0) < 100);
}

using Catch::Matchers::ContainsSubstring;

/// Counts launches in three passes, or is not permitted to count.
bool permitted = true;
int asked = 0;
const CounterSource source{[](const Device& device) { return device.backend == "counted"; },
                           [](const Counted& what) -> MetricsOfCalls {
                             ++asked;
                             if (!permitted) throw NoCounters("no permission (test): ask");
                             for (int pass = 0; pass < 3; ++pass) {
                               for (const auto& launch : what.launches) {
                                 if (what.cold) what.device.flush_caches();
                                 what.device.seconds(launch);
                               }
                             }
                             return {what.launches.size(), {{"dram_bytes", 7, "B"}}};
                           }};

TEST_CASE("counters are read by the source that is for the device", "[counters]") {
  testing::FakeDevice device;
  int first = 0, second = 0;
  const std::vector<std::function<void()>> launches{[&] { ++first; }, [&] { ++second; }};
  device.backend = "counted";
  permitted = true;
  Counters counters;
  const auto metrics = counters.of({device, launches, true});
  CHECK((first == 3 && second == 3 && device.flushes == 6 && counters.refused().empty()));
  REQUIRE(metrics.size() == 2);
  CHECK((metrics[1].size() == 1 && metrics[1].at(0).value == 7));
}

TEST_CASE("a device whose counters are refused is asked once, and says why once", "[counters]") {
  testing::FakeDevice device, other;
  device.backend = other.backend = "counted";
  const std::vector<std::function<void()>> launches{[] {}};
  Counters counters;
  permitted = false, asked = 0;
  for (int call = 0; call < 2; ++call) CHECK(counters.of({device, launches}).at(0).empty());
  CHECK(asked == 1);
  const std::vector<Absent> refused = counters.refused();
  REQUIRE(refused.size() == 1);
  CHECK((refused[0].what == "counters of counted" && refused[0].why == "no permission (test): ask"));
  CHECK(counters.refused().empty());
  permitted = true;
  CHECK(counters.of({other, launches}).at(0).size() == 1);
}

TEST_CASE("a device without a counter source says what to build with", "[counters]") {
  testing::FakeDevice device;
  const std::vector<std::function<void()>> launches{[] {}};
  CHECK_THROWS_WITH(counted({device, launches}), ContainsSubstring("build with PAPI"));
  device.backend = "hip";
  CHECK_THROWS_WITH(counted({device, launches}), ContainsSubstring("AMD's have no source here"));
}

TEST_CASE("several names of a profiler add up to one counter", "[counters]") {
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
  CHECK((counter(metrics, "flops_fp32") == 24 && counted_flops(metrics) == 24));
  CHECK_FALSE(counter(metrics, "flops_fp64"));  // none
  CHECK_FALSE(counter(metrics, "dram_bytes"));  // not read
  CHECK(counter(metrics, "shared_bank_conflicts") == 0);
  CHECK(counter(metrics, "shared_bytes") == 256);
  CHECK(counted_inner_bytes(metrics) == 300);
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
  r.alpha = 0;  // no multiplication
  CHECK((modelled_flops(r) == 0 && modelled_bytes(r) == 0));
}

}  // namespace
}  // namespace rooftile::perf
