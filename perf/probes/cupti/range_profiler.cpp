// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "range_profiler.hpp"

namespace rooftile::perf {
namespace {

/// The range profiler of a context, which profiles from the beginning of this object to its end.
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

  std::vector<std::uint8_t> image(std::vector<const char*>& names) const {
    auto size = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_GetCounterDataSize_Params));
    size.pMetricNames = names.data(), size.numMetrics = names.size();
    size.maxNumOfRanges = 1, size.maxNumRangeTreeNodes = 1;
    cupti_.call("cuptiRangeProfilerGetCounterDataSize", size);
    std::vector<std::uint8_t> image(size.counterDataSize);
    auto begin = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize_Params));
    begin.pCounterData = image.data(), begin.counterDataSize = image.size();
    cupti_.call("cuptiRangeProfilerCounterDataImageInitialize", begin);
    return image;
  }

  /// A range of the user's holds all kernels of a call, and the call is made again for each pass.
  void configure(const std::vector<std::uint8_t>& config, std::vector<std::uint8_t>& image) const {
    auto set = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_SetConfig_Params));
    set.pConfig = config.data(), set.configSize = config.size();
    set.pCounterDataImage = image.data(), set.counterDataImageSize = image.size();
    set.range = CUPTI_UserRange, set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = 1;
    set.numNestingLevels = set.minNestingLevel = set.targetNestingLevel = 1;
    cupti_.call("cuptiRangeProfilerSetConfig", set);
  }

  /// @return whether that was the last pass
  bool pass(const std::function<void()>& call) const {
    auto start = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_Start_Params));
    cupti_.call("cuptiRangeProfilerStart", start);
    auto push = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_PushRange_Params));
    push.pRangeName = "call";
    cupti_.call("cuptiRangeProfilerPushRange", push);
    call();
    auto pop = of_object(ROOFTILE_SIZED(CUpti_RangeProfiler_PopRange_Params));
    cupti_.call("cuptiRangeProfilerPopRange", pop);
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

std::map<std::string, double> RangeProfiler::values(CUcontext context, const std::function<void()>& before,
                                                    const std::function<void()>& pass) const {
  std::vector<const char*> names = pointers();
  std::vector<double> values(names.size());
  const Session session(cupti_, context);
  std::vector<std::uint8_t> image = session.image(names);
  session.configure(config_, image);
  do {
    before();
  } while (!session.pass(pass));
  session.decode();
  auto evaluate = ROOFTILE_SIZED(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  evaluate.pHostObject = host_;
  evaluate.pCounterDataImage = image.data(), evaluate.counterDataImageSize = image.size();
  evaluate.ppMetricNames = names.data(), evaluate.numMetrics = names.size();
  evaluate.pMetricValues = values.data();
  cupti_.call("cuptiProfilerHostEvaluateToGpuValues", evaluate);
  std::map<std::string, double> by_name;
  for (std::size_t i = 0; i < values.size(); ++i) by_name[names_[i]] = values[i];
  return by_name;
}

}  // namespace rooftile::perf
