// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "range_profiler.hpp"

namespace rooftile::perf {
namespace {

/// A profiling session of a context, for the lifetime of the object.
class Session {
 public:
  Session(const CuptiLibrary& cupti, CUcontext context) : cupti_(cupti) {
    auto enable = ROOFTILE_SIZED(CUpti_RangeProfiler_Enable_Params);
    enable.ctx = context;
    cupti_.call("cuptiRangeProfilerEnable", enable);
    object_ = enable.pRangeProfilerObject;
  }
  ~Session() {
    auto disable = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_Disable_Params));
    cupti_.symbol<CUptiResult (*)(decltype(disable)*)>("cuptiRangeProfilerDisable")(&disable);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  template <class Parameters>
  Parameters of_object(Parameters parameters) const {
    parameters.pRangeProfilerObject = object_;
    return parameters;
  }

  /// Memory for the counters of `ranges` ranges.
  std::vector<std::uint8_t> image(std::vector<const char*>& names, std::size_t ranges) const {
    auto size = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_GetCounterDataSize_Params));
    size.pMetricNames = names.data(), size.numMetrics = names.size();
    size.maxNumOfRanges = ranges, size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
    cupti_.call("cuptiRangeProfilerGetCounterDataSize", size);
    std::vector<std::uint8_t> image(size.counterDataSize);
    auto begin = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize_Params));
    begin.pCounterData = image.data(), begin.counterDataSize = image.size();
    cupti_.call("cuptiRangeProfilerCounterDataImageInitialize", begin);
    return image;
  }

  /// Uses user ranges with user replay: one range holds all kernels of a call, and each pass repeats the
  /// calls.
  void configure(const std::vector<std::uint8_t>& config, std::vector<std::uint8_t>& image,
                 std::size_t ranges) const {
    auto set = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_SetConfig_Params));
    set.pConfig = config.data(), set.configSize = config.size();
    set.pCounterDataImage = image.data(), set.counterDataImageSize = image.size();
    set.range = CUPTI_UserRange, set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = ranges;
    set.numNestingLevels = set.minNestingLevel = set.targetNestingLevel = 1;
    cupti_.call("cuptiRangeProfilerSetConfig", set);
  }

  /// @return whether that was the last pass
  bool pass(const std::vector<std::function<void()>>& before,
            const std::vector<std::function<void()>>& calls) const {
    auto start = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_Start_Params));
    cupti_.call("cuptiRangeProfilerStart", start);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      before[i]();
      const std::string name = std::to_string(i);
      auto push = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_PushRange_Params));
      push.pRangeName = name.c_str();
      cupti_.call("cuptiRangeProfilerPushRange", push);
      calls[i]();
      auto pop = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_PopRange_Params));
      cupti_.call("cuptiRangeProfilerPopRange", pop);
    }
    auto stop = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_Stop_Params));
    cupti_.call("cuptiRangeProfilerStop", stop);
    return stop.isAllPassSubmitted != 0;
  }

  void decode() const {
    auto decode = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_DecodeData_Params));
    cupti_.call("cuptiRangeProfilerDecodeData", decode);
  }

 private:
  const CuptiLibrary& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

}  // namespace

std::vector<std::map<std::string, double>> RangeProfiler::values(
    CUcontext context, const std::vector<std::function<void()>>& before,
    const std::vector<std::function<void()>>& calls) const {
  std::vector<const char*> names = pointers();
  const Session session(cupti_, context);
  std::vector<std::uint8_t> image = session.image(names, calls.size());
  session.configure(config_, image, calls.size());
  while (!session.pass(before, calls)) {
  }
  session.decode();
  std::vector<std::map<std::string, double>> of_calls(calls.size());
  for (std::size_t range = 0; range < calls.size(); ++range) {
    auto info = ROOFTILE_SIZED(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params);
    info.pCounterDataImage = image.data(), info.counterDataImageSize = image.size();
    info.rangeIndex = range, info.rangeDelimiter = "/";
    cupti_.call("cuptiRangeProfilerCounterDataGetRangeInfo", info);
    std::vector<double> values(names.size());
    auto evaluate = ROOFTILE_SIZED(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
    evaluate.pHostObject = host_, evaluate.rangeIndex = range;
    evaluate.pCounterDataImage = image.data(), evaluate.counterDataImageSize = image.size();
    evaluate.ppMetricNames = names.data(), evaluate.numMetrics = names.size();
    evaluate.pMetricValues = values.data();
    cupti_.call("cuptiProfilerHostEvaluateToGpuValues", evaluate);
    auto& by_name = of_calls.at(std::stoul(info.rangeName));
    for (std::size_t i = 0; i < values.size(); ++i) by_name[names_[i]] = values[i];
  }
  return of_calls;
}

}  // namespace rooftile::perf
