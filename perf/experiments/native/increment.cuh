// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch.cuh"

namespace rooftile::perf::native {

__device__ inline void add_one(float& x) {
  x += 1;
}
__device__ inline void add_one(float2& x) {
  x.x += 1, x.y += 1;
}
__device__ inline void add_one(float4& x) {
  x.x += 1, x.y += 1, x.z += 1, x.w += 1;
}

/// A thread's accesses are a block apart, so that those of a warp are neighbours. All loads are issued before
/// the first of them is waited for: that many bytes are in flight.
template <class V, int elements>
__global__ void __launch_bounds__(text_threads) increment(V* a, Index count) {
  const Index first = static_cast<Index>(blockIdx.x) * blockDim.x * elements + threadIdx.x;
  V x[elements];
#pragma unroll
  for (int e = 0; e < elements; ++e) {
    if (const Index i = first + e * text_threads; i < count) x[e] = a[i];
  }
#pragma unroll
  for (int e = 0; e < elements; ++e) {
    if (const Index i = first + e * text_threads; i < count) {
      add_one(x[e]);
      a[i] = x[e];
    }
  }
}

/// Calls f(kernel, V{}) with the kernel of a launch.
template <class F>
void with_increment(const IncrementLaunch& launch, const F& f) {
  const auto of_width = [&]<class V>(V v) {
    switch (launch.elements) {
      case 4:
        return f(increment<V, 4>, v);
      case 2:
        return f(increment<V, 2>, v);
      default:
        return f(increment<V, 1>, v);
    }
  };
  switch (launch.bytes) {
    case 16:
      return of_width(float4{});
    case 8:
      return of_width(float2{});
    default:
      return of_width(float{});
  }
}

/// Shared memory that keeps all but so many blocks away from an SM: bytes that no block uses.
inline int shared_for(int blocks, const model::SmLimits& limits) {
  if (blocks == 0) return 0;
  const auto& g = limits.granularity;
  const model::Count each = limits.shared / blocks / g.shared_unit * g.shared_unit - g.shared_reserved;
  return static_cast<int>(std::min(each, limits.block_shared));
}

inline void run_increment(cudaStream_t stream, const model::SmLimits& limits, float* a, Index count,
                          const IncrementLaunch& launch) {
  with_increment(launch, [&]<class V>(auto kernel, V) {
    const int shared = shared_for(launch.blocks, limits);
    allow_shared(kernel, shared);
    const Index accesses = count * 4 / static_cast<Index>(sizeof(V));
    kernel<<<blocks_for(accesses, text_threads * launch.elements), text_threads, shared, stream>>>(
        reinterpret_cast<V*>(a), accesses);
    check_launch();
  });
}

/// Blocks of an SM at a time.
inline int resident_blocks(const model::SmLimits& limits, const IncrementLaunch& launch) {
  int blocks = 0;
  with_increment(launch, [&](auto kernel, auto) {
    const int shared = shared_for(launch.blocks, limits);
    allow_shared(kernel, shared);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, text_threads,
                                                  static_cast<std::size_t>(shared));
  });
  return blocks;
}

}  // namespace rooftile::perf::native
