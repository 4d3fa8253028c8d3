// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch.cuh"

namespace rooftile::perf::native {

/// Each thread goes its way; a warp goes all ways of its threads, one after the other.
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

}  // namespace rooftile::perf::native
