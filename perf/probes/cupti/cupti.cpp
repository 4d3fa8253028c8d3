// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Counters of NVIDIA's GPUs, in process.
#include <map>
#include <memory>

#include "launches.hpp"
#include "metrics.hpp"
#include "range_profiler.hpp"

namespace rooftile::perf {
namespace {

/// Where the toolkit had it, wherever the loader finds it, and where toolkits are: the program may have moved
/// to another machine.
std::vector<std::string> places() {
  const std::string there = ROOFTILE_CUPTI, name = there.substr(there.rfind('/') + 1);
  return {there, name, "/usr/local/cuda/extras/CUPTI/lib64/" + name, "/usr/local/cuda/lib64/" + name};
}

/// The context that this thread launches in. @throws NoCounters where there is none
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

/// CUPTI and the profiler of a GPU.
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

const CounterSource source{[](const Device& device) { return device.backend == "cuda"; },
                           [](const Counted& what) {
                             static std::map<int, Cupti> of_gpus;
                             const int gpu = what.device.number;
                             const Cupti& cupti = of_gpus.try_emplace(gpu, gpu).first->second;
                             const auto pass = [&] { what.device.seconds(what.launch); };
                             std::vector<Metric> metrics = launches_of(cupti.library, pass);
                             const auto before = [&] {
                               if (what.cold) what.device.seconds([&] { what.device.flush_caches(); });
                             };
                             const std::vector<Metric> read =
                                 metrics_of(cupti.profiler->values(cupti.context, before, pass));
                             metrics.insert(metrics.end(), read.begin(), read.end());
                             return metrics;
                           }};

}  // namespace
}  // namespace rooftile::perf
