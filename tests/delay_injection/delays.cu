// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"
#include "hold_up.hpp"
#include "tests/delay_injection/device/common/delay_injection.hpp"

namespace rooftile::testing {
namespace {

using cuda_native::check;

constexpr int threads = 1024, elements_per_block = 1 << 18;

/// Copies memory for the given time. Its shared memory leaves no room for another block on the SM.
__global__ void steal(float4* memory, long long nanoseconds) {
  const auto now = [] {
    long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  float4* const own = memory + static_cast<long long>(blockIdx.x) * elements_per_block;
  const long long end = now() + nanoseconds;
  for (int i = threadIdx.x; now() < end; i = (i + threads) % (elements_per_block / 2))
    own[i + elements_per_block / 2] = own[i];
}

}  // namespace

void set_shake_seed(unsigned seed) {
  check(cudaDeviceSynchronize(), "run a kernel");
  for (const void* each : detail::delay_injection::seeds())
    check(cudaMemcpyToSymbol(each, &seed, sizeof seed), "set a seed");
}

void steal_sms() {
  struct Thief {
    cudaStream_t stream = nullptr;
    float4* memory = nullptr;
    int blocks = 0, shared_bytes = 0;

    Thief() {
      int sms = 0;
      check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "query a CUDA device");
      check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
            "query a CUDA device");
      blocks = sms / 3;
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
      check(cudaMalloc(&memory, sizeof(float4) * elements_per_block * static_cast<std::size_t>(blocks)),
            "allocate memory");
      check(cudaFuncSetAttribute(steal, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
            "set a kernel's shared memory");
    }
  };
  static const Thief& thief = *new Thief;  // never destroyed
  steal<<<thief.blocks, threads, thief.shared_bytes, thief.stream>>>(thief.memory, 500000);
  check(cudaGetLastError(), "launch a kernel");
}

}  // namespace rooftile::testing
