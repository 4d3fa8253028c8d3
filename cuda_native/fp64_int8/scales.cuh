// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/workspace.hpp"

/// What is known of each row of an operand: its largest magnitude, its norm, and how far below three quarters
/// of it lie.
namespace rooftile::cuda_native::residues {

/// Which threads of a block read a row: all, of rows that are contiguous; else a warp reads 32 rows at once.
template <bool contiguous>
struct RowReaders {
  static constexpr int threads = contiguous ? 256 : 512;
  static constexpr int rows = contiguous ? 1 : 32;
  static constexpr int step = contiguous ? threads : threads / rows;  ///< from one element to the next

  static __device__ int row() { return contiguous ? 0 : threadIdx.x % 32; }
  static __device__ int first() { return contiguous ? threadIdx.x : threadIdx.x / 32; }
  static __device__ bool leads() { return first() == 0; }
};

/// op of what all readers of a row have, in one order, so that every run gives the same bits.
template <bool contiguous, class Op>
__device__ double over_row(double x, const Op& op) {
  constexpr int warps = RowReaders<contiguous>::threads / 32, columns = contiguous ? 1 : 32;
  __shared__ double of_warps[warps][columns];
  if constexpr (contiguous) {
    for (int apart = 16; apart > 0; apart /= 2) x = op(x, __shfl_xor_sync(~0u, x, apart));
  }
  __syncthreads();
  of_warps[threadIdx.x / 32][RowReaders<contiguous>::row()] = x;
  __syncthreads();
  x = of_warps[0][RowReaders<contiguous>::row()];
  for (int warp = 1; warp < warps; ++warp) x = op(x, of_warps[warp][RowReaders<contiguous>::row()]);
  return x;
}

/// Counts a reader's elements by their depth below the row's largest, 4 bits each until they might overflow.
/// Deeper ones are not told apart: three quarters of a row that lie so deep never pass the guard below
/// K = 2^27, nor above, to be safe.
struct Depths {
  static constexpr int told_apart = 32, at_once = 15;

  unsigned long long few[2] = {};
  int counts[told_apart] = {};
  int pending = 0;

  __device__ void add(int depth) {
    const unsigned long long one = 1ull << (4 * (depth & 15));
    if (depth < 16) few[0] += one;
    if (depth >= 16 && depth < told_apart) few[1] += one;
    if (++pending == at_once) flush();
  }
  __device__ void flush() {
#pragma unroll
    for (int i = 0; i < told_apart; ++i) counts[i] += static_cast<int>(few[i / 16] >> (4 * (i % 16))) & 15;
    few[0] = few[1] = 0;
    pending = 0;
  }
};

/// The least depth that three quarters of the K elements reach.
template <bool contiguous>
__device__ int depth_of_most(Depths& mine, Index k) {
  using Readers = RowReaders<contiguous>;
  __shared__ int counts[Depths::told_apart][Readers::rows];
  for (int i = threadIdx.x; i < Depths::told_apart * Readers::rows; i += Readers::threads) counts[0][i] = 0;
  __syncthreads();
  mine.flush();
#pragma unroll
  for (int i = 0; i < Depths::told_apart; ++i) {
    const int sum = contiguous ? static_cast<int>(__reduce_add_sync(~0u, mine.counts[i])) : mine.counts[i];
    if (!contiguous || threadIdx.x % 32 == 0) atomicAdd(&counts[i][Readers::row()], sum);
  }
  __syncthreads();
  Index reached = 0;
  for (int depth = 0; depth < Depths::told_apart; ++depth) {
    reached += counts[depth][Readers::row()];
    if (are_three_quarters(reached, k)) return depth;
  }
  return depths;
}

/// The scales of an operand's rows, and what the guard sees of them.
template <bool contiguous>
__global__ void __launch_bounds__(RowReaders<contiguous>::threads)
    find_scales(MatrixRef<const double> X, RowScale* scales, Seen* seen, int of_b) {
  using Readers = RowReaders<contiguous>;
  const Index row = Index{blockIdx.x} * Readers::rows + Readers::row(), k = X.cols;
  const bool is_row = row < X.rows;
  const double* const from = &X(is_row ? row : 0, 0);

  double largest = 0;
#pragma unroll 8
  for (Index i = Readers::first(); i < k; i += Readers::step) {
    const double x = from[i * X.col_stride];
    largest = is_finite(x) ? fmax(largest, fabs(x)) : infinity;
    if (largest == infinity) break;
  }
  largest = over_row<contiguous>(largest, [](double x, double y) { return fmax(x, y); });

  RowScale scale{0, 0, 0};
  const bool scales_down = largest > 0 && largest < infinity;
  if (scales_down) scale.exponent = exponent_of(largest);
  Depths found;
  double squares = 0;
#pragma unroll 4
  for (Index i = Readers::first(); i < k; i += Readers::step) {
    const double x = from[i * X.col_stride], fraction = times_power(x, -scale.exponent);
    squares += fraction * fraction;
    found.add(min(depth_of(x, scale.exponent), depths));
  }
  squares = over_row<contiguous>(squares, [](double x, double y) { return x + y; });
  const int depth = depth_of_most<contiguous>(found, k);
  if (!Readers::leads() || !is_row) return;
  if (scales_down) {
    scale.squares = squares * (1 + static_cast<double>(k + 2) * 0x1p-52);
    scale.depth = depth;
  } else if (largest == infinity) {
    scale = {infinity, 0, depths};
    atomicOr(&seen->not_finite, 1u);
  }
  scales[row] = scale;
  Spread spread;
  spread.add(scale, k);
  atomicMax(&seen->squared[of_b], static_cast<unsigned long long>(__double_as_longlong(spread.squared)));
}

}  // namespace rooftile::cuda_native::residues
