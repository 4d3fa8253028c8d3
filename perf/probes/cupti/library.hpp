// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <cupti_result.h>
#include <dlfcn.h>

#include "../counters.hpp"

namespace rooftile::perf {

/// Opens CUPTI when counters are first read, so that the program also starts without CUPTI.
class CuptiLibrary {
 public:
  /// @param places  candidate paths; the first that can be opened is used
  /// @throws NoCounters if none can be opened
  explicit CuptiLibrary(const std::vector<std::string>& places) {
    for (const std::string& place : places) {
      library_ = dlopen(place.c_str(), RTLD_NOW);  // never closed
      if (library_ != nullptr) return;
    }
    throw NoCounters(detail::text("CUPTI was not found (", places.front(),
                                  "): install CUDA's CUPTI, or add its folder to LD_LIBRARY_PATH"));
  }

  /// Calls a function of the profiler interface. All of these functions have one structure as their argument.
  /// @throws NoCounters if the function fails
  template <class Parameters>
  void call(const char* function, Parameters& parameters) const {
    check(function, symbol<CUptiResult (*)(Parameters*)>(function)(&parameters));
  }

  template <class... Argument>
  void call_with(const char* function, Argument... arguments) const {
    check(function, symbol<CUptiResult (*)(Argument...)>(function)(arguments...));
  }

  template <class Function>
  Function symbol(const char* function) const {
    if (void* const found = dlsym(library_, function)) return reinterpret_cast<Function>(found);
    throw NoCounters(
        detail::text("CUPTI lacks a function (", function, "): install that of CUDA 12.6 or newer"));
  }

 private:
  void check(const char* function, CUptiResult result) const {
    switch (result) {
      case CUPTI_SUCCESS:
        return;
      case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        throw NoCounters(
            detail::text("no permission for the GPU's counters (", function,
                         "): run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"));
      case CUPTI_ERROR_HARDWARE_BUSY:
      case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        throw NoCounters(detail::text("another profiler has the GPU's counters (", function, "): end it"));
      default:
        break;
    }
    const char* words = "";
    if (symbol<CUptiResult (*)(CUptiResult, const char**)>("cuptiGetResultString")(result, &words) !=
        CUPTI_SUCCESS)
      words = "unknown";
    throw NoCounters(
        detail::text("CUPTI failed (", function, ", ", words, "): see its list of supported devices"));
  }

  void* library_ = nullptr;
};

}  // namespace rooftile::perf
