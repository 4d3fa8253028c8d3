// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"
#include "plan/block_limits.hpp"
#include "plan/costs/find_costs.hpp"
#include "rooftile/tile.hpp"

namespace rooftile::cuda_native {

/// The constant properties of a device.
struct DeviceFacts {
  std::string name;
  BlockLimits limits;
  int capability = 0;  ///< major·10 + minor
  int sms = 0;
  bool reads_pageable = false;  ///< kernels can read all host memory
  bool is_only = false;         ///< there is no other device
  model::Costs costs;
};

/// Returns the costs of a device. Attributes that the runtime does not report are left 0, which means
/// unknown.
inline model::Costs costs_told(int device, const cudaDeviceProp& p) {
  const auto attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
  };
  const std::string architecture = std::to_string(p.major) + '.' + std::to_string(p.minor);
  model::Device gpu;
  gpu.name = p.name, gpu.vendor = model::Vendor::nvidia, gpu.architecture = architecture;
  gpu.sms = p.multiProcessorCount;
  gpu.clock_mhz = 1e-3 * attribute(cudaDevAttrClockRate);
  // Double data rate: two transfers per clock over the whole bus.
  gpu.bandwidth_gbs =
      2e-6 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
  return model::costs_here(gpu);
}

/// Returns the facts of a device. All devices are queried once, because a query takes a millisecond per
/// device.
inline const DeviceFacts& facts_of(int device) {
  static const std::vector<DeviceFacts>& facts =
      *new std::vector([] {  // not destroyed, because a call in an exit handler needs it
        int count = 0;
        check(cudaGetDeviceCount(&count), "count CUDA devices");
        std::vector<DeviceFacts> all;
        for (int each = 0; each < count; ++each) {
          cudaDeviceProp p;
          check(cudaGetDeviceProperties(&p, each), "query a CUDA device");
          all.push_back({.name = p.name,
                         .limits = {p.maxThreadsPerBlock, p.sharedMemPerBlock, p.sharedMemPerBlockOptin},
                         .capability = 10 * p.major + p.minor,
                         .sms = p.multiProcessorCount,
                         .reads_pageable = p.pageableMemoryAccess != 0,
                         .is_only = count == 1,
                         .costs = costs_told(each, p)});
        }
        return all;
      }());
  return facts.at(static_cast<std::size_t>(device));
}

/// The current device.
inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "find a CUDA device");
  return device;
}
inline int sm_count() {
  return facts_of(current_device()).sms;
}

/// Makes a device the current device until the end of the scope.
class OnDevice {
 public:
  explicit OnDevice(int device) : OnDevice(device, current_device()) {}
  /// @param before  the current device at construction
  OnDevice(int device, int before) : before_(before), there_(device) {
    if (there_ != before_) check(cudaSetDevice(there_), "change to another device");
  }
  ~OnDevice() {
    if (there_ != before_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  int device() const { return there_; }

 private:
  int before_, there_;
};

/// Returns the device of a stream. Default streams belong to the current device. A captured stream cannot be
/// queried and must belong to the current device.
inline int device_of(cudaStream_t stream, int current) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return current;
#if CUDART_VERSION >= 12080  // older runtimes cannot report the device
  cudaStreamCaptureStatus captured;
  check(cudaStreamIsCapturing(stream, &captured), "query whether a stream is captured");
  if (captured != cudaStreamCaptureStatusNone) return current;
  int device = current;
  check(cudaStreamGetDevice(stream, &device), "find a stream's device");
  return device;
#else
  return current;
#endif
}

/// Makes the device of a stream the current device until the end of the scope. CUDA launches kernels only on
/// streams of the current device.
class OnDeviceOf : public OnDevice {
 public:
  explicit OnDeviceOf(cudaStream_t stream) : OnDeviceOf(stream, current_device()) {}

 private:
  OnDeviceOf(cudaStream_t stream, int current) : OnDevice(device_of(stream, current), current) {}
};

}  // namespace rooftile::cuda_native
