// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Hardware occupancy compared with the CUDA runtime's own query on the current GPU.
#include <random>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <cuda_runtime.h>

#include "rooftile/model/architecture.hpp"
#include "rooftile/model/occupancy.hpp"

namespace {

using namespace rooftile::model;

/// Keeps `count` values alive, so that kernels use different numbers of registers.
template <int count>
__global__ void hold(float* data) {
  float x[count];
  for (int i = 0; i < count; ++i) x[i] = data[i * 32 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < count; ++i) data[i * 64 + threadIdx.x] = x[i] * x[count - 1 - i];
}

using Kernel = void (*)(float*);
const Kernel kernels[] = {hold<1>, hold<16>, hold<32>, hold<64>, hold<128>, hold<200>};

}  // namespace

TEST_CASE("hardware occupancy is the runtime's for random launches", "[model][gpu]") {
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) SKIP("no CUDA device here");
  const SmLimits limits = nvidia_limits(device.major, device.minor);
  REQUIRE(limits.threads == device.maxThreadsPerMultiProcessor);
  REQUIRE(limits.blocks == device.maxBlocksPerMultiProcessor);
  REQUIRE(limits.block_threads == device.maxThreadsPerBlock);
  REQUIRE(limits.registers == device.regsPerMultiprocessor);
  REQUIRE(limits.block_registers == device.regsPerBlock);
  REQUIRE(limits.shared == static_cast<Count>(device.sharedMemPerMultiprocessor));
  REQUIRE(limits.block_shared == static_cast<Count>(device.sharedMemPerBlockOptin));
  REQUIRE(limits.block_shared_default == static_cast<Count>(device.sharedMemPerBlock));
  REQUIRE(limits.granularity.shared_reserved == static_cast<Count>(device.reservedSharedMemPerBlock));

  constexpr unsigned seed = 90;
  CAPTURE(seed, std::string(device.name));
  std::mt19937 random(seed);
  for (const Kernel kernel : kernels) {
    const auto most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    REQUIRE(cudaFuncSetAttribute(kernel, most, static_cast<int>(limits.block_shared)) == cudaSuccess);
    cudaFuncAttributes attributes;
    REQUIRE(cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess);
    for (int i = 0; i < 1000; ++i) {
      Launch launch;
      launch.registers = attributes.numRegs;
      launch.threads = std::uniform_int_distribution<Count>(1, limits.block_threads)(random);
      launch.shared = std::uniform_int_distribution<Count>(0, limits.block_shared >> random() % 8)(random);
      int blocks = 0;
      REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(launch.threads),
                                                            static_cast<std::size_t>(launch.shared)) ==
              cudaSuccess);
      CAPTURE(launch.registers, launch.threads, launch.shared);
      REQUIRE(occupancy(limits, launch).blocks == blocks);
    }
  }
}
