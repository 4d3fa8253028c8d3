// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "cuda_native/launch.cuh"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/device/common/vector.hpp"
#include "rooftile/matrix.hpp"

/// The sum of the products of several splits of K.
namespace rooftile::cuda_native {

/// C = alpha · (sum over splits of partial) + beta · C, for each product of a batch.
/// @tparam Sum  what the splits are summed in
template <class Sum, class Out>
struct SplitSum {
  const Sum* partial;  // (batch,splits,M,ld)
  Index ld;            ///< a multiple of 16 bytes
  Index split_stride;
  int splits;
  MatrixRef<Out> C;  // (M,N)
  Sum alpha;
  Sum beta;
  Index c_stride = 0;  ///< from a product's C to the next
};

inline constexpr int split_sum_columns = 128;  ///< of a row of C, of a block
inline constexpr int split_sum_lanes = 8;      ///< threads that share the splits of a vector of elements
template <class Sum>
inline constexpr int split_sum_width = 16 / sizeof(Sum);  ///< elements of a vector
template <class Sum>
inline constexpr int split_sum_vectors = split_sum_columns / split_sum_width<Sum>;  ///< of a block

/// A block adds 128 elements of a row of C. Always in the same order, so the result is the same from run to
/// run.
template <class Sum, class Out>
__global__ void __launch_bounds__(split_sum_vectors<Sum>* split_sum_lanes)
    split_sum(const __grid_constant__ SplitSum<Sum, Out> x) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  constexpr int width = split_sum_width<Sum>;
  using Vector = detail::Vector<Sum, width>;
  __shared__ Vector sums[split_sum_lanes][split_sum_vectors<Sum>];
  const Index blocks_per_row = (x.C.cols + split_sum_columns - 1) / split_sum_columns;
  const Index row = blockIdx.x / blocks_per_row;
  const Index col = blockIdx.x % blocks_per_row * split_sum_columns + threadIdx.x * width;
  Vector sum = {};
  const auto add = [&sum](const Vector& y) {
#pragma unroll
    for (int e = 0; e < width; ++e) sum.value[e] += y.value[e];
  };
  const Sum* const partial = x.partial + blockIdx.z * (x.splits * x.split_stride) + row * x.ld + col;
  if (col + width <= x.C.cols) {
#pragma unroll 4
    for (int split = threadIdx.y; split < x.splits; split += split_sum_lanes) {
      add(*reinterpret_cast<const Vector*>(partial + split * x.split_stride));
    }
  } else {  // nobody wrote what lies behind the row
    for (int split = threadIdx.y; split < x.splits; split += split_sum_lanes) {
#pragma unroll
      for (int e = 0; e < width; ++e) {
        if (col + e < x.C.cols) sum.value[e] += partial[split * x.split_stride + e];
      }
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  MatrixRef<Out> C = x.C;
  C.data += blockIdx.z * x.c_stride;
  for (int lane = 1; lane < split_sum_lanes; ++lane) add(sums[lane][threadIdx.x]);
#pragma unroll
  for (int e = 0; e < width; ++e) {
    if (col + e < x.C.cols) detail::update(C(row, col + e), x.alpha, sum.value[e], x.beta);
  }
}

/// @param count  of products, at most the layers of a grid
template <class Sum, class Out>
void launch_split_sum(cudaStream_t stream, const SplitSum<Sum, Out>& sum, Index count) {
  const Index blocks = (sum.C.cols + split_sum_columns - 1) / split_sum_columns * sum.C.rows;
  if (blocks > std::numeric_limits<int>::max()) {
    throw Error(detail::text("C is too large for one launch (", sum.C.rows, " x ", sum.C.cols, "): split C"));
  }
  launch_behind(stream, split_sum<Sum, Out>,
                dim3(static_cast<unsigned>(blocks), 1, static_cast<unsigned>(count)),
                dim3(split_sum_vectors<Sum>, split_sum_lanes), 0, 1, sum);
}

}  // namespace rooftile::cuda_native
