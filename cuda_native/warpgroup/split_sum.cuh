// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/matrix.hpp"

/// The sum of the products of several shares of K.
namespace rooftile::cuda_native {

/// C = alpha · (sum over splits of partial) + beta · C.
template <class Out>
struct SplitSum {
  const float* partial;  // (splits,M,ld)
  Index ld;              ///< a multiple of 4
  Index split_stride;
  int splits;
  MatrixRef<Out> C;  // (M,N)
  float alpha;
  float beta;
};

inline constexpr int split_sum_columns = 128;  ///< of a row of C, of a block
inline constexpr int split_sum_lanes = 8;      ///< threads that share the splits of 4 elements

/// A block adds 128 elements of a row of C. Always in the same order, so the result is the same from run to
/// run.
template <class Out>
__global__ void __launch_bounds__(split_sum_columns / 4 * split_sum_lanes)
    split_sum(const __grid_constant__ SplitSum<Out> x) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  __shared__ float4 sums[split_sum_lanes][split_sum_columns / 4];
  const Index blocks_per_row = (x.C.cols + split_sum_columns - 1) / split_sum_columns;
  const Index row = blockIdx.x / blocks_per_row;
  const Index col = blockIdx.x % blocks_per_row * split_sum_columns + threadIdx.x * 4;
  float4 sum = {0, 0, 0, 0};
  const auto add = [&sum](float4 y) { sum = {sum.x + y.x, sum.y + y.y, sum.z + y.z, sum.w + y.w}; };
  if (col < x.ld) {
    const float* const partial = x.partial + row * x.ld + col;
#pragma unroll 4
    for (int split = threadIdx.y; split < x.splits; split += split_sum_lanes) {
      add(*reinterpret_cast<const float4*>(partial + split * x.split_stride));
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int lane = 1; lane < split_sum_lanes; ++lane) add(sums[lane][threadIdx.x]);
  const float elements[] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    if (col + e >= x.C.cols) return;
    const float scaled = x.alpha * elements[e];
    Out& c = x.C(row, col + e);
    c = static_cast<Out>(x.beta == 0 ? scaled : scaled + x.beta * static_cast<float>(c));
  }
}

}  // namespace rooftile::cuda_native
