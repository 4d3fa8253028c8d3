// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/start.hpp"
#include "rooftile/device/common/split_sum.hpp"

/// `detail::SplitSum` on CUDA.
namespace rooftile::cuda_native {

template <class Sum, class Out>
__global__ void __launch_bounds__(detail::SplitSum<Sum, Out>::threads)
    split_sum(const __grid_constant__ detail::SplitSum<Sum, Out> x) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  __shared__ typename detail::SplitSum<Sum, Out>::Sums sums[detail::SplitSum<Sum, Out>::threads];
  x.compute(blockIdx.x, blockIdx.z, threadIdx.x, sums, [] { __syncthreads(); });
}

/// @param count  of products, at most the layers of a grid
template <class Sum, class Out>
void launch_split_sum(cudaStream_t stream, const detail::SplitSum<Sum, Out>& sum, Index count) {
  launch_behind(stream, split_sum<Sum, Out>,
                dim3(static_cast<unsigned>(sum.teams()), 1, static_cast<unsigned>(count)), dim3(sum.threads),
                0, 1, sum);
}

}  // namespace rooftile::cuda_native
