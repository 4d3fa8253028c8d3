// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of the experiments in CUDA, and their launches.
#include <algorithm>

#include <cuda_runtime.h>

#include "../providers/cuda_device.hpp"
#include "kernels.hpp"
#include "rooftile/error.hpp"
#include "rooftile/model/architecture.hpp"

namespace rooftile::perf {
namespace native {

inline unsigned blocks_for(Index count, Index per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

inline void check_launch() {
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    throw Error(
        detail::text("could not launch an experiment (", cudaGetErrorName(status), "): take a smaller one"));
}

/// Permits `bytes` of shared memory in a kernel, and prefers shared memory over L1 on the SM.
template <class Kernel>
void allow_shared(Kernel kernel, int bytes) {
  if (bytes == 0) return;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
}

__device__ inline void add_one(float& x) {
  x += 1;
}
__device__ inline void add_one(float2& x) {
  x.x += 1, x.y += 1;
}
__device__ inline void add_one(float4& x) {
  x.x += 1, x.y += 1, x.z += 1, x.w += 1;
}

/// A thread's accesses are one block size apart, so that a warp's accesses are adjacent. All loads are issued
/// before the first use, which sets the number of bytes in flight.
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

template <class F>
void with_increment(const IncrementLaunch& launch, const F& f) {
  const auto of_width = [&]<class V>(V v) {
    with_constant<1, 2, 4>(launch.elements, [&]<int elements>() { f(increment<V, elements>, v); });
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

/// Unused shared memory that limits an SM to `blocks` blocks.
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

/// One thread per element: 12 bytes for one addition.
__global__ static void __launch_bounds__(text_threads)
    add(float* c, const float* a, const float* b, Index count) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}

inline void run_add(cudaStream_t stream, float* c, const float* a, const float* b, Index count) {
  add<<<blocks_for(count, text_threads), text_threads, 0, stream>>>(c, a, b, count);
  check_launch();
}

/// Each thread takes its way; a warp executes all ways of its threads one after another.
template <int branching>
__global__ void __launch_bounds__(text_threads) branches(std::uint32_t* x, Index count) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  std::uint32_t own = x[i];
  branch<branching>(own, threadIdx.x);
  x[i] = own;
}

inline void run_branches(cudaStream_t stream, std::uint32_t* x, Index count, int branching) {
  constexpr decltype(&branches<0>) kernels[] = {branches<0>, branches<1>, branches<2>, branches<3>};
  kernels[branching]<<<blocks_for(count, text_threads), text_threads, 0, stream>>>(x, count);
  check_launch();
}

/// The launch bounds state no minimum number of blocks, so that the compiler assigns as many registers as the
/// values need.
template <int values, bool chained>
__global__ void __launch_bounds__(text_threads) hold_registers(std::uint32_t* x, Index threads) {
  if (const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < threads)
    hold<values, chained>(x, i);
}

inline void run_registers(cudaStream_t stream, std::uint32_t* x, Index count, const RegisterLaunch& launch) {
  with_held(launch, [&]<int values, bool chained>() {
    const Index threads = count / values;
    hold_registers<values, chained>
        <<<blocks_for(threads, text_threads), text_threads, 0, stream>>>(x, threads);
    check_launch();
  });
}

inline HeldRegisters held_registers(const RegisterLaunch& launch) {
  HeldRegisters held;
  with_held(launch, [&]<int values, bool chained>() {
    cudaFuncAttributes attributes{};
    cudaFuncGetAttributes(&attributes, hold_registers<values, chained>);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held.blocks, hold_registers<values, chained>, text_threads,
                                                  0);
    held.registers = attributes.numRegs;
  });
  return held;
}

/// A block transposes a tile in place. Without the barrier, a thread may load an element before another
/// thread stores it; this race is intended and shown by the experiment.
template <int tile, bool barrier>
__global__ void transpose(float* to, const float* from, Index order) {
  __shared__ float shared[tile][tile];  // (T,T)
  const Index row = static_cast<Index>(blockIdx.y) * tile + threadIdx.y;
  const Index col = static_cast<Index>(blockIdx.x) * tile + threadIdx.x;
  shared[threadIdx.y][threadIdx.x] = from[row * order + col];
  if constexpr (barrier) __syncthreads();
  to[row * order + col] = shared[threadIdx.x][threadIdx.y];
}

inline void run_transpose(cudaStream_t stream, float* to, const float* from, Index order,
                          const TransposeLaunch& launch) {
  with_constant<1, 2, 4, 8, 16, 32>(launch.tile, [&]<int tile>() {
    const auto kernel = launch.barrier ? transpose<tile, true> : transpose<tile, false>;
    const unsigned tiles = blocks_for(order, tile);
    kernel<<<dim3(tiles, tiles), dim3(tile, tile), 0, stream>>>(to, from, order);
    check_launch();
  });
}

/// One thread per element of C, in blocks of 8 columns and 32 rows of threads; x runs over the columns.
/// @tparam fused  false: the product is rounded before the addition
template <bool fused>
__global__ void __launch_bounds__(text_threads)
    product(float* c, const float* a, const float* b, GemmShape shape) {
  const Index row = static_cast<Index>(blockIdx.y) * blockDim.y + threadIdx.y;
  const Index col = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= shape.m || col >= shape.n) return;
  const float *x = a + row * shape.k, *y = b + col;
  float sum = 0;
  for (Index k = 0; k < shape.k; ++k, ++x, y += shape.n) {
    if constexpr (fused) {
      sum = __fmaf_rn(*x, *y, sum);
    } else {
      sum = __fadd_rn(sum, __fmul_rn(*x, *y));
    }
  }
  c[row * shape.n + col] = sum;
}

inline void run_product(cudaStream_t stream, float* c, const float* a, const float* b, const GemmShape& shape,
                        bool fused) {
  const dim3 threads(8, 32), blocks(blocks_for(shape.n, 8), blocks_for(shape.m, 32));
  const auto kernel = fused ? product<true> : product<false>;
  kernel<<<blocks, threads, 0, stream>>>(c, a, b, shape);
  check_launch();
}

}  // namespace native

namespace {

void add_native(Machine& machine, std::vector<TextKernels>& all) {
  auto* const gpu = dynamic_cast<CudaDevice*>(machine.device("cuda"));
  if (gpu == nullptr) return;
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, gpu->number);
    return value;
  };
  TextKernels own;
  own.device = gpu;
  own.path = "native";
  own.sms = attribute(cudaDevAttrMultiProcessorCount);
  own.limits = model::nvidia_limits(attribute(cudaDevAttrComputeCapabilityMajor),
                                    attribute(cudaDevAttrComputeCapabilityMinor));
  const cudaStream_t stream = gpu->stream();
  const model::SmLimits limits = own.limits;
  for (int blocks = 1; blocks * text_threads <= limits.threads; blocks *= 2) {
    for (const int elements : {1, 2, 4}) {
      for (const int bytes : {4, 8, 16}) own.increments.push_back({bytes, elements, blocks});
    }
  }
  own.increment = [=](float* a, Index count, const IncrementLaunch& launch) {
    native::run_increment(stream, limits, a, count, launch);
  };
  own.resident = [=](const IncrementLaunch& launch) { return native::resident_blocks(limits, launch); };
  own.lanes = {32};
  own.branch = [=](std::uint32_t* x, Index count, int branching, int) {
    native::run_branches(stream, x, count, branching);
  };
  own.hold = [=](std::uint32_t* x, Index count, const RegisterLaunch& launch) {
    native::run_registers(stream, x, count, launch);
  };
  own.held = native::held_registers;
  own.transpose = [=](float* to, const float* from, Index order, const TransposeLaunch& launch) {
    native::run_transpose(stream, to, from, order, launch);
  };
  own.shares_tiles = true;
  own.product = [=](float* c, const float* a, const float* b, const GemmShape& shape, bool fused) {
    native::run_product(stream, c, a, b, shape, fused);
  };
  own.add = [=](float* c, const float* a, const float* b, Index count) {
    native::run_add(stream, c, a, b, count);
  };
  all.push_back(std::move(own));
}

const TextKernelProvider provider{add_native};

}  // namespace
}  // namespace rooftile::perf
