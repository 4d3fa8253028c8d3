// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// AMD's GPU.
#include <hip/hip_runtime.h>

#include "../gpu_ceilings.hpp"
#include "../hip_device.hpp"

namespace rooftile::perf {
namespace {

void add_device(Machine& machine) {
  int count = 0;
  if (const hipError_t status = hipGetDeviceCount(&count); status != hipSuccess || count == 0) {
    machine.absent.push_back({"hip", hipGetErrorString(status)});
    return;
  }
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, 0) != hipSuccess) return;
  auto gpu = std::make_unique<HipDevice>("hip", properties.name);
  gpu->measure_ceilings = [stream = gpu->stream(), units = properties.multiProcessorCount](Device& device) {
    return measure_gpu_ceilings(device, stream, units);
  };
  machine.devices.push_back(std::move(gpu));
}

const Provider provider{Provider::devices, add_device};

}  // namespace
}  // namespace rooftile::perf
