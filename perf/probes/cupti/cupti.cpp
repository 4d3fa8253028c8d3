// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Hardware counters of NVIDIA GPUs, read in this process.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>

#include <cuda.h>
#include <cupti_activity.h>

#include "metrics.hpp"
#include "range_profiler.hpp"

namespace rooftile::perf {
namespace {

/// Later versions of the record begin with the members that are read here.
using Kernel = CUpti_ActivityKernel9;

struct Seen {
  std::uint64_t nanoseconds;
  double registers, shared, local;
};

/// Static, because CUPTI's callbacks have no user argument.
struct Records {
  const CuptiLibrary* cupti = nullptr;
  std::vector<Seen> kernels;
};
Records records;

constexpr std::size_t buffer_bytes = std::size_t{1} << 18, buffer_alignment = 8;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *bytes = *buffer != nullptr ? buffer_bytes : 0;
  *max_records = 0;  // no limit below the buffer size
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  const auto next =
      records.cupti->symbol<decltype(&cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
  for (CUpti_Activity* record = nullptr; next(buffer, valid, &record) == CUPTI_SUCCESS;) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto& kernel = *reinterpret_cast<const Kernel*>(record);
    records.kernels.push_back({kernel.end - kernel.start, static_cast<double>(kernel.registersPerThread),
                               static_cast<double>(kernel.staticSharedMemory) + kernel.dynamicSharedMemory,
                               static_cast<double>(kernel.localMemoryPerThread)});
  }
  std::free(buffer);
}

/// The number of kernels of a call, and the registers and memory of the longest one.
std::vector<Metric> launches_of(const CuptiLibrary& cupti, const std::function<void()>& call) {
  records = {&cupti, {}};
  call();
  cupti.call_with("cuptiActivityFlushAll", std::uint32_t{0});
  if (records.kernels.empty()) return {};
  const Seen& longest =
      *std::max_element(records.kernels.begin(), records.kernels.end(),
                        [](const Seen& a, const Seen& b) { return a.nanoseconds < b.nanoseconds; });
  return {{"kernels", static_cast<double>(records.kernels.size()), ""},
          {"registers", longest.registers, ""},
          {"shared_per_block", longest.shared, "B"},
          {"local_per_thread", longest.local, "B"}};
}

/// Launch data of the calls' kernels from CUPTI's activity records. Unlike counters, these records need no
/// permission.
MetricsOfCalls launches_of_all(const CuptiLibrary& cupti, const std::vector<std::function<void()>>& calls) {
  MetricsOfCalls metrics;
  cupti.call_with("cuptiActivityRegisterCallbacks", &give_buffer, &take_buffer);
  cupti.call_with("cuptiActivityEnable", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  for (const auto& call : calls) metrics.push_back(launches_of(cupti, call));
  cupti.call_with("cuptiActivityDisable", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  return metrics;
}

/// Candidate paths: the build's toolkit, the loader's search path and the standard toolkit folders. The
/// program may have moved to another machine.
std::vector<std::string> places() {
  const std::string there = ROOFTILE_CUPTI, name = there.substr(there.rfind('/') + 1);
  return {there, name, "/usr/local/cuda/extras/CUPTI/lib64/" + name, "/usr/local/cuda/lib64/" + name};
}

/// The CUDA context of this thread. @throws NoCounters if there is none
CUcontext current_context() {
  CUcontext context = nullptr;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto get = driver == nullptr
                       ? nullptr
                       : reinterpret_cast<CUresult(CUDAAPI*)(CUcontext*)>(dlsym(driver, "cuCtxGetCurrent"));
  if (get == nullptr || get(&context) != CUDA_SUCCESS || context == nullptr)
    throw NoCounters("no context of the GPU (cuCtxGetCurrent): see the driver's log");
  return context;
}

struct Cupti {
  CuptiLibrary library{places()};
  CUcontext context = current_context();
  std::unique_ptr<RangeProfiler> profiler;

  explicit Cupti(int gpu) {
    auto begin = ROOFTILE_SIZED(CUpti_Profiler_Initialize_Params);
    library.call("cuptiProfilerInitialize", begin);
    auto chip = ROOFTILE_SIZED(CUpti_Device_GetChipName_Params);
    chip.deviceIndex = static_cast<std::size_t>(gpu);
    library.call("cuptiDeviceGetChipName", chip);
    auto available = ROOFTILE_SIZED(CUpti_Profiler_GetCounterAvailability_Params);
    available.ctx = context;
    library.call("cuptiProfilerGetCounterAvailability", available);
    std::vector<std::uint8_t> availability(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = availability.data();
    library.call("cuptiProfilerGetCounterAvailability", available);
    profiler = std::make_unique<RangeProfiler>(library, chip.pChipName, cupti_names(), availability);
  }
};

MetricsOfCalls count(const Counted& what) {
  static std::map<int, Cupti> of_gpus;
  const int gpu = what.device.number;
  const Cupti& cupti = of_gpus.try_emplace(gpu, gpu).first->second;
  std::vector<std::function<void()>> before, calls;
  for (const auto& launch : what.launches) {
    calls.emplace_back([&] { what.device.seconds(launch); });
    before.push_back(calls.back());
    if (what.cold) before.back() = [&] { what.device.seconds([&] { what.device.flush_caches(); }); };
  }
  MetricsOfCalls metrics = launches_of_all(cupti.library, calls);
  const auto values = cupti.profiler->values(cupti.context, before, calls);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const std::vector<Metric> read = metrics_of(values[i]);
    metrics[i].insert(metrics[i].end(), read.begin(), read.end());
  }
  return metrics;
}

const CounterSource source{[](const Device& device) { return device.backend == "cuda"; }, count};

}  // namespace
}  // namespace rooftile::perf
