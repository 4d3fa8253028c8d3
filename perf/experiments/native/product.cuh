// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch.cuh"

namespace rooftile::perf::native {

/// One thread for each element of C, in blocks of 8 columns and 32 rows of threads: x runs over the columns.
/// @tparam fused  else the product is rounded before it is added
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

}  // namespace rooftile::perf::native
