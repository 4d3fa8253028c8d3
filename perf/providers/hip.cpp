// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The AMD GPU.
#include "../measure/gpu_ceilings.hpp"
#include "detect.hpp"
#include "hip_device.hpp"

namespace rooftile::perf {
namespace {

void add_device(Machine& machine) {
  int count = 0;
  if (const hipError_t status = hipGetDeviceCount(&count); status != hipSuccess || count == 0) {
    machine.absent.push_back({"hip", hipGetErrorString(status)});
    return;
  }
  machine.require_gpu(count);
  hipDeviceProp_t properties;
  if (hipSetDevice(machine.gpu) != hipSuccess ||
      hipGetDeviceProperties(&properties, machine.gpu) != hipSuccess) {
    return;
  }
  auto gpu = std::make_unique<HipDevice>("hip", properties.name);
  gpu->number = machine.gpu;
  gpu->hardware.memory_gib = rounded_gib(properties.totalGlobalMem);
  gpu->measure_ceilings = [stream = gpu->stream(), units = properties.multiProcessorCount,
                           l2 = static_cast<std::size_t>(properties.l2CacheSize)](Device& device) {
    return measure_gpu_ceilings(device, stream, units, l2);
  };
  machine.devices.push_back(std::move(gpu));
}

void detect(std::vector<DetectedDevice>& found) {
  int count = 0;
  if (hipGetDeviceCount(&count) != hipSuccess) return;
  for (int i = 0; i < count; ++i) {
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, i) != hipSuccess) continue;
    DetectedDevice gpu;
    gpu.name = lasting(properties.name);
    gpu.vendor = model::Vendor::amd;
    gpu.architecture = lasting(properties.gcnArchName);
    gpu.sms = properties.multiProcessorCount;
    gpu.clock_mhz = 1e-3 * properties.clockRate;
    // Double data rate: two transfers per clock over the whole bus.
    gpu.bandwidth_gbs = 2e-6 * properties.memoryClockRate * properties.memoryBusWidth / 8;
    gpu.l2_bytes = properties.l2CacheSize;
    gpu.limits.warp_size = properties.warpSize;
    gpu.source = "the HIP runtime";
    gpu.hardware.memory_gib = rounded_gib(properties.totalGlobalMem);
    found.push_back(gpu);
  }
}

const Detector detector{detect};
const Provider provider{Provider::gpus, add_device};

}  // namespace
}  // namespace rooftile::perf
