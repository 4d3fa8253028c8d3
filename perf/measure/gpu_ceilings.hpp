// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __HIP__
#include <hip/hip_runtime.h>
#endif

#include "ceilings.hpp"

namespace rooftile::perf {

inline constexpr int gpu_chains = 8;

template <class T>
__global__ void fma_kernel(T* out, T seed) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = fma_chains<gpu_chains>(seed);
}

/// 16 bytes per thread and step, the widest access; a thread's steps are a grid apart.
static __global__ void copy_kernel(float4* to, const float4* from, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    to[i] = from[i];
  }
}

template <class T, class Stream>
double measure_fma_gflops(Device& device, Stream stream, int sms) {
  const int threads = 256, blocks = 32 * sms;
  Buffer<T> out(device, static_cast<std::size_t>(threads) * static_cast<std::size_t>(blocks));
  const double seconds =
      best_seconds(device, [&] { fma_kernel<T><<<blocks, threads, 0, stream>>>(out.data(), T(1e-6)); });
  return 2e-9 * gpu_chains * fma_steps * threads * blocks / seconds;
}

/// The ceilings of a GPU: fp32 and fp64 on its vector units, and its memory.
template <class Stream>
Ceilings measure_gpu_ceilings(Device& device, Stream stream, int sms) {
  Ceilings ceilings;
  ceilings.fp32_gflops = measure_fma_gflops<float>(device, stream, sms);
  ceilings.fp64_gflops = measure_fma_gflops<double>(device, stream, sms);

  const std::size_t count = copy_bytes / sizeof(float4);
  Buffer<float4> from(device, count), to(device, count);
  const double seconds =
      best_seconds(device, [&] { copy_kernel<<<16 * sms, 512, 0, stream>>>(to.data(), from.data(), count); });
  ceilings.bandwidth_gbs = 2e-9 * static_cast<double>(copy_bytes) / seconds;
  return ceilings;
}

}  // namespace rooftile::perf
