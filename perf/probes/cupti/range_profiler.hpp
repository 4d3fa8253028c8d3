// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "library.hpp"

namespace rooftile::perf {

/// A parameter structure of the profiler interface. Its first member is its size.
#define ROOFTILE_SIZED(Parameters) sized_as<Parameters>(Parameters##_STRUCT_SIZE)

template <class Parameters>
Parameters sized_as(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

/// Reads hardware counters of a chip with CUPTI's range profiler.
class RangeProfiler {
 public:
  /// Selects the names that the chip supports.
  /// @throws NoCounters without permission, or if the chip supports none of the names
  RangeProfiler(const CuptiLibrary& cupti, const std::string& chip, const std::vector<std::string>& names,
                const std::vector<std::uint8_t>& availability = {})
      : cupti_(cupti) {
    auto host = ROOFTILE_SIZED(CUpti_Profiler_Host_Initialize_Params);
    host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    host.pChipName = chip.c_str();
    host.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    cupti_.call("cuptiProfilerHostInitialize", host);
    host_ = host.pHostObject;
    for (const std::string& name : names) {
      if (knows(name)) names_.push_back(name);
    }
    if (names_.empty())
      throw NoCounters("CUPTI counts nothing on this GPU (" + chip + "): see its list of supported devices");
    make_config();
  }
  ~RangeProfiler() {
    auto end = ROOFTILE_SIZED(CUpti_Profiler_Host_Deinitialize_Params);
    end.pHostObject = host_;
    cupti_.symbol<CUptiResult (*)(decltype(end)*)>("cuptiProfilerHostDeinitialize")(&end);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  const std::vector<std::string>& names() const { return names_; }

  /// Number of passes, that is, repetitions of a call, to read all counters.
  std::size_t passes() {
    auto count = ROOFTILE_SIZED(CUpti_Profiler_Host_GetNumOfPasses_Params);
    count.pConfigImage = config_.data(), count.configImageSize = config_.size();
    cupti_.call("cuptiProfilerHostGetNumOfPasses", count);
    return count.numOfPasses;
  }

  /// The counters of each call, summed over its kernels. Profiling is enabled only during this function.
  /// @param before  runs before each call in each pass and is not counted
  std::vector<std::map<std::string, double>> values(CUcontext context,
                                                    const std::vector<std::function<void()>>& before,
                                                    const std::vector<std::function<void()>>& calls) const;

 private:
  bool knows(const std::string& name) const {
    auto ask = ROOFTILE_SIZED(CUpti_Profiler_Host_GetMetricProperties_Params);
    ask.pHostObject = host_, ask.pMetricName = name.c_str();
    return cupti_.symbol<CUptiResult (*)(decltype(ask)*)>("cuptiProfilerHostGetMetricProperties")(&ask) ==
           CUPTI_SUCCESS;
  }

  void make_config() {
    std::vector<const char*> names = pointers();
    auto add = ROOFTILE_SIZED(CUpti_Profiler_Host_ConfigAddMetrics_Params);
    add.pHostObject = host_, add.ppMetricNames = names.data(), add.numMetrics = names.size();
    cupti_.call("cuptiProfilerHostConfigAddMetrics", add);
    auto size = ROOFTILE_SIZED(CUpti_Profiler_Host_GetConfigImageSize_Params);
    size.pHostObject = host_;
    cupti_.call("cuptiProfilerHostGetConfigImageSize", size);
    config_.resize(size.configImageSize);
    auto image = ROOFTILE_SIZED(CUpti_Profiler_Host_GetConfigImage_Params);
    image.pHostObject = host_, image.pConfigImage = config_.data(), image.configImageSize = config_.size();
    cupti_.call("cuptiProfilerHostGetConfigImage", image);
  }

  std::vector<const char*> pointers() const {
    std::vector<const char*> pointers;
    for (const std::string& name : names_) pointers.push_back(name.c_str());
    return pointers;
  }

  const CuptiLibrary& cupti_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> names_;
  std::vector<std::uint8_t> config_;
};

}  // namespace rooftile::perf
