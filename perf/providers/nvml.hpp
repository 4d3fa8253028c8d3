// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dlfcn.h>

namespace rooftile::perf {

/// A GPU's clock and power from NVML. The library is opened at run time and declared here, because its header
/// is not part of the CUDA runtime.
class Nvml {
 public:
  /// @param bus  the GPU's PCI address in the format of the CUDA runtime
  explicit Nvml(const std::string& bus, const char* name = "libnvidia-ml.so.1") {
    void* const library = dlopen(name, RTLD_NOW);  // never closed, since the driver uses it
    if (library == nullptr) return;
    const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto by_bus =
        reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
    const auto clock =
        reinterpret_cast<int (*)(void*, int, unsigned*)>(dlsym(library, "nvmlDeviceGetClockInfo"));
    if (init == nullptr || by_bus == nullptr || clock == nullptr || init() != 0) return;
    if (by_bus(bus.c_str(), &gpu_) != 0) return;
    clock_ = clock;
    power_ = reinterpret_cast<int (*)(void*, unsigned*)>(dlsym(library, "nvmlDeviceGetPowerUsage"));
  }

  /// The current SM clock in MHz; 0: NVML or the value is not available.
  double clock_mhz() const {
    constexpr int sms = 1;
    unsigned mhz = 0;
    return clock_ != nullptr && clock_(gpu_, sms, &mhz) == 0 ? mhz : 0;
  }

  /// Power of the card in W: current, or on newer GPUs the mean of the last second; 0: not available.
  double power_w() const {
    unsigned milliwatts = 0;
    return power_ != nullptr && power_(gpu_, &milliwatts) == 0 ? 1e-3 * milliwatts : 0;
  }

 private:
  void* gpu_ = nullptr;
  int (*clock_)(void* gpu, int of, unsigned* mhz) = nullptr;
  int (*power_)(void* gpu, unsigned* milliwatts) = nullptr;
};

}  // namespace rooftile::perf
