// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch.cuh"

namespace rooftile::perf::native {

/// One thread for each element: 12 bytes for one addition.
__global__ static void __launch_bounds__(text_threads)
    add(float* c, const float* a, const float* b, Index count) {
  const Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}

inline void run_add(cudaStream_t stream, float* c, const float* a, const float* b, Index count) {
  add<<<blocks_for(count, text_threads), text_threads, 0, stream>>>(c, a, b, count);
  check_launch();
}

}  // namespace rooftile::perf::native
