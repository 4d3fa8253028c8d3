// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/start.hpp"
#include "device/common/delay_injection.hpp"
#include "device/common/repack.hpp"

/// Launches of `detail::Repack` on CUDA.
namespace rooftile::cuda_native {

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

/// Copies the operands that are repacked.
template <class T, class Store>
void launch_repack(cudaStream_t stream, const detail::Repack<T, Store>& copies) {
  const Index blocks = copies.teams();
  if (blocks == 0) return;
  launch_kernel(stream, repack<T, Store>, dim3(static_cast<unsigned>(blocks)), dim3(copies.threads), 0,
                copies);
}

}  // namespace rooftile::cuda_native
