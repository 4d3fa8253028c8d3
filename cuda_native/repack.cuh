// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "cuda_native/hopper/tf32.cuh"
#include "cuda_native/start.cuh"
#include "rooftile/device/common/repack.hpp"
#include "rooftile/device/common/shake.hpp"

/// `detail::Repack` on CUDA, also of operands that become two: their big and their small tf32 parts.
namespace rooftile::cuda_native {

/// Stores 16 bytes as they are, or of fp32 their tf32 parts. @pre `from` is aligned to 4 bytes
struct StoreParts {
  Index small_parts = 0;  ///< 0, or elements from the big tf32 part of each to the small one

  template <class T>
  __device__ void operator()(T* to, const T* from) const {
    if constexpr (std::is_same_v<T, float>) {
      if (small_parts > 0) {
        detail::Vector<float, 4> big, small;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          big.value[e] = round_to_tf32(from[e]);
          small.value[e] = round_to_tf32(from[e] - big.value[e]);
        }
        *reinterpret_cast<detail::Vector<float, 4>*>(to + small_parts) = small;
        *reinterpret_cast<detail::Vector<float, 4>*>(to) = big;
        return;
      }
    }
    detail::StoreVector{}(to, from);
  }
};

template <class T>
using RepackOperand = detail::RepackOperand<T, StoreParts>;

template <class T, class Store>
__global__ void __launch_bounds__(detail::Repack<T, Store>::threads)
    repack(const __grid_constant__ detail::Repack<T, Store> copies) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  __shared__ alignas(16) T tile[detail::Repack<T, Store>::tile_elements];
  copies.compute(blockIdx.x, threadIdx.x, tile, [] {
    __syncthreads();
    detail::shake<detail::Step::barrier>();
  });
}

/// Copies the operands that have somewhere to go.
template <class T, class Store>
void launch_repack(cudaStream_t stream, const detail::Repack<T, Store>& copies) {
  const Index blocks = copies.teams();
  if (blocks == 0) return;
  launch_kernel(stream, repack<T, Store>, dim3(static_cast<unsigned>(blocks)), dim3(copies.threads), 0,
                copies);
}

}  // namespace rooftile::cuda_native
