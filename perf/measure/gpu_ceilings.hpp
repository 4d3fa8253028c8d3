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

/// Each thread copies 16 bytes per step, the widest access. Its steps are one grid size apart.
static __global__ void copy_kernel(float4* to, const float4* from, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    to[i] = from[i];
  }
}

/// A load that bypasses L1. AMD GPUs have no such instruction; their L1 is small compared with the data read.
static __device__ inline uint4 load_from_l2(const uint4* from) {
#ifdef __HIP__
  return *from;
#else
  return __ldcg(from);
#endif
}

/// Each thread sums `steps` vectors, one grid size apart, cycling through data that fits in L2.
static __global__ void read_l2_kernel(unsigned* out, const uint4* from, unsigned count, int steps) {
  const unsigned stride = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0, at = thread % count;
#pragma unroll 8
  for (int step = 0; step < steps; ++step) {
    const uint4 v = load_from_l2(from + at);
    sum += v.x + v.y + v.z + v.w;
    at += stride % count;
    if (at >= count) at -= count;
  }
  out[thread] = sum;
}

/// 16-byte vectors in a block's shared memory, and vectors that a thread reads per step.
inline constexpr unsigned shared_vectors = 2048, shared_reads = 8;

/// Each thread sums the vectors that it reads in `steps` steps. A warp's vectors are adjacent.
/// @param shift  of the vectors between steps; unknown to the compiler
static __global__ void read_shared_kernel(unsigned* out, unsigned shift, int steps) {
  __shared__ uint4 values[shared_vectors];
  for (unsigned i = threadIdx.x; i < shared_vectors; i += blockDim.x) values[i] = make_uint4(1, 1, 1, 1);
  __syncthreads();
  unsigned sum = 0, at = threadIdx.x;
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (unsigned read = 0; read < shared_reads; ++read) {
      const uint4 v = values[at + read * (shared_vectors / 2 / shared_reads)];
      sum += v.x + v.y + v.z + v.w;
    }
    at = (at + shift) % (shared_vectors / 2);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static __global__ void empty_kernel() {}

/// A launch configuration, and one result of type T per thread.
template <class T>
struct Grid {
  int threads, blocks;
  std::vector<T> results =
      std::vector<T>(static_cast<std::size_t>(threads) * static_cast<std::size_t>(blocks));

  double size() const { return static_cast<double>(results.size()); }

  /// The shortest time of `launch(out)`, in seconds.
  /// @throws Error if a thread's result differs from `wanted`
  template <class Launch>
  double timed(Device& device, const char* ceiling, double wanted, double tolerance, const Launch& launch) {
    Buffer<T> out(device, results.size());
    const double seconds = best_seconds(device, [&] { launch(out.data()); });
    out.download(results);
    const auto [low, high] = std::minmax_element(results.begin(), results.end());
    for (const T found : {*low, *high})
      require_result(ceiling, static_cast<double>(found), wanted, tolerance);
    return seconds;
  }
};

template <class T, class Stream>
double measure_fma_gflops(Device& device, Stream stream, int sms) {
  Grid<T> grid{256, 32 * sms};
  const T seed = T(1e-6);
  const double wanted = sum_of_fma_chains(gpu_chains, static_cast<double>(seed));
  const double seconds = grid.timed(device, "chains of multiply-adds", wanted, chain_tolerance, [&](T* out) {
    fma_kernel<T><<<grid.blocks, grid.threads, 0, stream>>>(out, seed);
  });
  return 2e-9 * gpu_chains * fma_steps * grid.size() / seconds;
}

template <class Stream>
double measure_copy_gbs(Device& device, Stream stream, int sms) {
  const std::size_t count = copy_bytes / sizeof(float4);
  Buffer<float4> from(device, count), to(device, count);
  const double seconds =
      best_seconds(device, [&] { copy_kernel<<<16 * sms, 512, 0, stream>>>(to.data(), from.data(), count); });
  return 2e-9 * static_cast<double>(copy_bytes) / seconds;
}

/// @param l2_bytes  size of L2; the kernel reads a quarter of it
template <class Stream>
double measure_l2_gbs(Device& device, Stream stream, int sms, std::size_t l2_bytes) {
  constexpr int steps = 256;
  constexpr unsigned word = 0x01010101;
  const std::size_t count = l2_bytes / 4 / sizeof(uint4);
  Buffer<uint4> from(device, count);
  from.upload(std::vector<uint4>(count, make_uint4(word, word, word, word)));
  Grid<unsigned> grid{256, 8 * sms};
  const double seconds = grid.timed(device, "reads of L2", 4U * steps * word, 0, [&](unsigned* out) {
    read_l2_kernel<<<grid.blocks, grid.threads, 0, stream>>>(out, from.data(), static_cast<unsigned>(count),
                                                             steps);
  });
  return 1e-9 * sizeof(uint4) * steps * grid.size() / seconds;
}

template <class Stream>
double measure_shared_gbs(Device& device, Stream stream, int sms) {
  constexpr int steps = 512;
  Grid<unsigned> grid{256, 16 * sms};
  const double seconds = grid.timed(
      device, "reads of shared memory", 4.0 * steps * shared_reads, 0,
      [&](unsigned* out) { read_shared_kernel<<<grid.blocks, grid.threads, 0, stream>>>(out, 32, steps); });
  return 1e-9 * sizeof(uint4) * steps * shared_reads * grid.size() / seconds;
}

/// The ceilings of a GPU, except for matrix instructions.
/// @param l2_bytes  0: the runtime reports no L2
template <class Stream>
Ceilings measure_gpu_ceilings(Device& device, Stream stream, int sms, std::size_t l2_bytes) {
  Ceilings ceilings;
  ceilings.fp32_gflops = measure_fma_gflops<float>(device, stream, sms);
  ceilings.clock_mhz = device.clock_after_sample_mhz();
  ceilings.fp64_gflops = measure_fma_gflops<double>(device, stream, sms);
  ceilings.bandwidth_gbs = measure_copy_gbs(device, stream, sms);
  if (l2_bytes > 0) ceilings.levels_gbs.push_back({"L2", measure_l2_gbs(device, stream, sms, l2_bytes)});
  ceilings.levels_gbs.push_back({"shared memory", measure_shared_gbs(device, stream, sms)});
  ceilings.launch_us = 1e6 * best_seconds(device, [&] { empty_kernel<<<1, 1, 0, stream>>>(); });
  return ceilings;
}

}  // namespace rooftile::perf
