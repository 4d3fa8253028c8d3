// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "counters.hpp"

namespace rooftile::perf {
CounterSource::CounterSource(std::function<bool(const Device&)> is_for_, decltype(count) count_)
    : is_for(std::move(is_for_)), count(std::move(count_)) {
  registered<CounterSource>().push_back(*this);
}

MetricsOfCalls counted(const Counted& what) {
  for (const CounterSource& source : registered<CounterSource>()) {
    if (source.is_for(what.device)) return source.count(what);
  }
  const char* const library = what.device.backend == "cuda" ? "CUPTI of CUDA 12.6 or newer, and its headers"
                              : is_gpu(what.device)         ? "NVIDIA's GPUs: AMD's have no source here"
                                                            : "PAPI (Debian: libpapi-dev)";
  throw NoCounters(detail::text("this build has no counters for the backend (", what.device.backend,
                                "): build with ", library));
}

MetricsOfCalls Counters::of(const Counted& what) {
  const MetricsOfCalls nothing(what.launches.size());
  if (without_.contains(&what.device)) return nothing;
  try {
    return counted(what);
  } catch (const NoCounters& why) {
    without_.insert(&what.device);
    refused_.push_back({"counters of " + what.device.backend, why.what()});
    return nothing;
  }
}

}  // namespace rooftile::perf
