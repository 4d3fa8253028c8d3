// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dlfcn.h>

namespace rooftile::perf {

/// A GPU's clock and power as NVIDIA's management library tells them. Opened at run time, and by declarations
/// of our own: its header is no part of the CUDA toolkit's runtime.
class Nvml {
 public:
  /// @param bus  the GPU's PCI address, as the CUDA runtime writes it
  explicit Nvml(const std::string& bus, const char* name = "libnvidia-ml.so.1") {
    void* const library = dlopen(name, RTLD_NOW);  // stays: it is the driver's
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

  /// Of the SMs, now; 0: there is no library, or it does not tell.
  double clock_mhz() const {
    constexpr int sms = 1;
    unsigned mhz = 0;
    return clock_ != nullptr && clock_(gpu_, sms, &mhz) == 0 ? mhz : 0;
  }

  /// Watts of the card, now, or on newer GPUs of the last second; 0: it does not tell.
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
