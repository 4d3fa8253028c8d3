// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/nvidia/warpgroup/fragment.hpp"
#include "device/nvidia/warpgroup/result.hpp"

/// How a warp stores a chunk (16,32) of sums that lies in its staging memory.
namespace rooftile::detail::hopper {

/// Returns the extent that is left from a tile's origin on as an `int`.
__device__ inline int clamp(Index left) {
  return static_cast<int>(left < 0 ? 0 : left > 4096 ? 4096 : left);
}

/// Returns the row, of the warpgroup's 64, that is row i of the warp's chunk.
template <bool permuted>
__device__ int chunk_row(int thread, int i) {
  const int warp = thread / 32 % 4;
  return permuted ? PermutedRows::row(warp, i % 8, i / 8) : warp * 16 + i;
}

/// Stores 16 bytes of a row per thread. Values that do not depend on the chunk are computed once.
template <bool reads_c, bool permuted, class Out>
struct StoreRows {
  static constexpr int size = StoreVector<Out>::size;
  static constexpr int lanes_per_row = StoreStaging::cols / (size * sums_of<Out>);
  static constexpr int rows_at_once = 32 / lanes_per_row;
  static constexpr int passes = StoreStaging::rows / rows_at_once;

  const WarpgroupResult<Out>& result;
  int thread;
  int lane_row = thread % 32 / lanes_per_row;
  int lane_col = thread % lanes_per_row * size;
  int rows_left, cols_left;
  Out* rows[passes];

  __device__ StoreRows(const WarpgroupResult<Out>& result_, int thread_, const MatrixRef<Out>& C, Index row0,
                       Index col0)
      : result(result_),
        thread(thread_),
        rows_left(clamp(C.rows - row0)),
        cols_left(clamp(C.cols - col0) - lane_col) {
    for (int pass = 0; pass < passes; ++pass) rows[pass] = &C(row0 + row(pass), col0 + lane_col);
  }

  __device__ int row(int pass) const { return chunk_row<permuted>(thread, lane_row + pass * rows_at_once); }

  /// @param sum  the chunk's first column, of sums
  __device__ void chunk(const AccumulatorOf<Out>* staging, int sum) const {
    const int col = sum / sums_of<Out>;
#pragma unroll
    for (int pass = 0; pass < passes; ++pass) {
      if (row(pass) >= rows_left) continue;
      const AccumulatorOf<Out>* const sums =
          staging + (lane_row + pass * rows_at_once) * StoreStaging::pitch + lane_col * sums_of<Out>;
      store_some<reads_c>(rows[pass] + col, sums, cols_left - col, result);
    }
  }
};

/// Stores 16 bytes of a column per thread, for permuted rows. Chunks lie in `staging` by columns (32,16),
/// with pairs of rows side by side.
template <bool reads_c, class Out>
struct StoreColumns {
  static constexpr int size = StoreVector<Out>::size;
  static constexpr int columns_at_once = 8;
  static_assert(size == 4, "two pairs of rows");

  const WarpgroupResult<Out>& result;
  int vector;
  int lane_col;
  int rows_left, cols_left;
  Index col_stride;
  Out* first;

  __device__ StoreColumns(const WarpgroupResult<Out>& result_, int thread, const MatrixRef<Out>& C,
                          Index row0, Index col0)
      : result(result_),
        vector(thread % 4),
        lane_col(thread % 32 / 4),
        cols_left(clamp(C.cols - col0) - lane_col),
        col_stride(C.col_stride) {
    const int row = chunk_row<true>(thread, vector * 2);
    rows_left = clamp(C.rows - row0) - row;
    first = &C(row0 + row, col0 + lane_col);
  }

  __device__ void chunk(const AccumulatorOf<Out>* staging, int col) const {
#pragma unroll
    for (int j = 0; j < StoreStaging::cols; j += columns_at_once) {
      if (col + j >= cols_left) return;
      const AccumulatorOf<Out>* const sums =
          staging + (lane_col + j) * StoreStaging::column_pitch + vector * size;
      store_some<reads_c>(first + (col + j) * col_stride, sums, rows_left, result);
    }
  }
};

/// Stores one element per thread, along rows.
template <bool reads_c, bool permuted, class Out>
struct StoreElements {
  static constexpr int cols = StoreStaging::cols / sums_of<Out>, rows_at_once = 32 / cols;

  const WarpgroupResult<Out>& result;
  int thread;
  int lane_row = thread % 32 / cols;
  int lane_col = thread % cols;
  int rows_left, cols_left;
  MatrixRef<Out> C;  // from this warpgroup's rows and this lane's columns on

  __device__ StoreElements(const WarpgroupResult<Out>& result_, int thread_, const MatrixRef<Out>& C_,
                           Index row0, Index col0)
      : result(result_),
        thread(thread_),
        rows_left(clamp(C_.rows - row0)),
        cols_left(clamp(C_.cols - col0) - lane_col),
        C(C_) {
    C.data = &C_(row0, col0 + lane_col);
  }

  /// @param sum  the chunk's first column, of sums
  __device__ void chunk(const AccumulatorOf<Out>* staging, int sum) const {
    const int col = sum / sums_of<Out>;
    if (col >= cols_left) return;
#pragma unroll 4
    for (int i = lane_row; i < StoreStaging::rows; i += rows_at_once) {
      const int row = chunk_row<permuted>(thread, i);
      if (row < rows_left) {
        store_element<reads_c>(C(row, col), staging + i * StoreStaging::pitch + lane_col * sums_of<Out>,
                               result);
      }
    }
  }
};

}  // namespace rooftile::detail::hopper
