// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/parts.hpp"
#include "rooftile/matrix.hpp"

/// Readers: how the threads of a block share the rows of a matrix.
namespace rooftile::cuda_native::residues {

using namespace rooftile::residues;

/// If rows are contiguous, all threads of a block read one row. Otherwise, a warp reads 32 rows at once.
/// Complex numbers are read as their parts.
template <bool contiguous, class T = double>
class RowReaders {
 public:
  static constexpr int threads = contiguous ? 256 : 512;
  static constexpr int rows = contiguous ? 1 : 32;
  static constexpr int step = contiguous ? threads : threads / rows;  ///< elements between a thread's reads
  static constexpr int at_once = 8;                                   ///< loads in flight

  __device__ explicit RowReaders(const MatrixRef<const T>& X)
      : number_(Index{blockIdx.x} * rows + row()),
        is_there_(number_ < X.rows),
        from_(&X(is_there_ ? number_ : 0, 0)),
        k_(X.cols),
        stride_(contiguous ? 1 : X.col_stride) {}

  /// The thread's row within the block.
  static __device__ int row() { return contiguous ? 0 : threadIdx.x % 32; }
  static __device__ bool leads() { return first() == 0; }

  /// The thread's row of the matrix.
  __device__ Index number() const { return number_; }
  __device__ bool is_there() const { return is_there_; }

  /// Calls f with the elements that the thread reads, `at_once` at a time. All threads of the block make
  /// equally many calls. Elements beyond the row are 0.
  template <class F>
  __device__ void for_elements(const F& f) const {
    constexpr int parts = part_count<T>, elements = at_once / parts;
    for (Index begin = 0; begin < k_; begin += Index{elements} * step) {
      double x[at_once];
#pragma unroll
      for (int j = 0; j < elements; ++j) {
        const Index i = begin + j * step + first();
        const T element = i < k_ ? from_[i * stride_] : T(0);
        if constexpr (parts == 1) {
          x[j] = element;
        } else {
          x[2 * j] = element.re, x[2 * j + 1] = element.im;
        }
      }
      f(x);
    }
  }

 private:
  static __device__ int first() {
    return contiguous ? threadIdx.x : threadIdx.x / 32;
  }

  Index number_;
  bool is_there_;
  const T* from_;
  Index k_, stride_;
};

/// Reduces the values of all readers of a row with op. The order is fixed, so that every run gives equal
/// bits.
template <bool contiguous, class T, class Op>
__device__ T over_row(T x, const Op& op) {
  constexpr int warps = RowReaders<contiguous>::threads / 32, columns = contiguous ? 1 : 32;
  __shared__ T of_warps[warps][columns];
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

}  // namespace rooftile::cuda_native::residues
