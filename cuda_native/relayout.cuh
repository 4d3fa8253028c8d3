// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "cuda_native/check.hpp"
#include "cuda_native/hopper/tf32.cuh"
#include "rooftile/matrix.hpp"

/// Operands that a kernel cannot read 16 bytes at a time (rows that do not start at multiples of them, or not
/// contiguous along what its panels are) are first copied to a workspace where it can. Here they are (rows,K)
/// and become contiguous along K: a kernel that wants the other dimension names its operands transposed.
namespace rooftile::cuda_native {

/// The copies of an operand's matrices, one a product: (rows,K) with K contiguous.
template <class T>
struct RelayoutOperand {
  MatrixRef<const T> from;  // (rows,K)
  T* to;                    // (products,parts,rows,ld)
  Index ld;                 ///< elements, a multiple of 16 bytes
  Index small_parts;        ///< 0, or elements from the big tf32 part of each to the small one
  Index from_stride;        ///< from a product's matrix to the next's
  Index to_stride;
  int products = 0;

  static constexpr int tile = 64;
  __host__ __device__ Index tiles_k() const { return (ld + tile - 1) / tile; }
  __host__ __device__ Index tiles() const { return (from.rows + tile - 1) / tile * tiles_k(); }
};

/// 16 bytes along K. @pre `from` is aligned to 4 bytes
template <class T>
__device__ void store_relaid(T* to, const T* from, Index small_parts) {
  constexpr int size = 16 / static_cast<int>(sizeof(T));
  struct alignas(16) Vector {
    T x[size];
  } big, small;
#pragma unroll
  for (int e = 0; e < size; e += 4 / static_cast<int>(sizeof(T))) {
    *reinterpret_cast<std::uint32_t*>(big.x + e) = *reinterpret_cast<const std::uint32_t*>(from + e);
  }
  if constexpr (sizeof(T) == 4) {
    if (small_parts > 0) {
#pragma unroll
      for (int e = 0; e < size; ++e) {
        const float x = big.x[e];
        big.x[e] = round_to_tf32(x);
        small.x[e] = round_to_tf32(x - big.x[e]);
      }
      *reinterpret_cast<Vector*>(to + small_parts) = small;
    }
  }
  *reinterpret_cast<Vector*>(to) = big;
}

inline constexpr int relayout_threads = 256;

/// The tile (64,64) number `rank` of the product's X: read along whichever dimension has the smaller stride,
/// written along K.
template <class T>
__device__ void relayout_tile(const RelayoutOperand<T>& X, Index rank) {
  constexpr int width = RelayoutOperand<T>::tile;
  constexpr int pitch =
      width + 4 / static_cast<int>(sizeof(T));   // words: odd, so that columns cross the banks
  __shared__ alignas(16) T tile[width * pitch];  // (64 rows, 64 of K)
  const Index row0 = rank / X.tiles_k() * width, k0 = rank % X.tiles_k() * width;
  const bool along_k = X.from.col_stride <= X.from.row_stride;

  // All loads first, so that all are under way together.
  constexpr int lines_at_once = relayout_threads / width, loads = width / lines_at_once;
  const int fast = threadIdx.x % width, slow0 = threadIdx.x / width;
  const Index fast_stride = along_k ? X.from.col_stride : X.from.row_stride;
  const Index slow_stride = along_k ? X.from.row_stride : X.from.col_stride;
  const Index fast_left = (along_k ? X.from.cols - k0 : X.from.rows - row0) - fast;
  const Index slow_left = (along_k ? X.from.rows - row0 : X.from.cols - k0) - slow0;
  const T* from = &X.from(row0, k0) + blockIdx.z * X.from_stride + fast * fast_stride + slow0 * slow_stride;
  const int lines_left = fast_left > 0 ? static_cast<int>(slow_left < width ? slow_left : width) : 0;
  T loaded[loads];
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    loaded[i] = i * lines_at_once < lines_left ? *from : T(0.0f);
    from += lines_at_once * slow_stride;
  }
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    const int slow = slow0 + i * lines_at_once;
    tile[along_k ? slow * pitch + fast : fast * pitch + slow] = loaded[i];
  }
  __syncthreads();

  constexpr int size = 16 / static_cast<int>(sizeof(T)), vectors = width / size;
  constexpr int rows_at_once = relayout_threads / vectors;
  const int row = threadIdx.x / vectors, k = threadIdx.x % vectors * size;
  if (k0 + k >= X.ld) return;
  T* const to = X.to + blockIdx.z * X.to_stride + (row0 + row) * X.ld + k0 + k;
#pragma unroll
  for (int i = 0; i < width; i += rows_at_once) {
    if (row0 + row + i < X.from.rows)
      store_relaid(to + i * X.ld, tile + (row + i) * pitch + k, X.small_parts);
  }
}

/// Both operands in one launch, a tile a block, a product a layer. An operand without tiles is left out, and
/// one that the products share is copied once.
template <class T>
__global__ void __launch_bounds__(relayout_threads)
    relayout(const __grid_constant__ RelayoutOperand<T> A, const __grid_constant__ RelayoutOperand<T> B,
             Index a_tiles) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  if (blockIdx.x < a_tiles) {
    if (blockIdx.z < A.products) relayout_tile(A, blockIdx.x);
  } else if (blockIdx.z < B.products) {
    relayout_tile(B, blockIdx.x - a_tiles);
  }
}

/// Copies the operands that have somewhere to go.
template <class T>
void launch_relayout(cudaStream_t stream, const RelayoutOperand<T>& A, const RelayoutOperand<T>& B) {
  const Index a_tiles = A.products > 0 ? A.tiles() : 0, b_tiles = B.products > 0 ? B.tiles() : 0;
  if (a_tiles + b_tiles == 0) return;
  if (a_tiles + b_tiles > std::numeric_limits<int>::max()) {
    throw Error(detail::text("operands are too large to be laid out anew in one launch (", a_tiles + b_tiles,
                             " tiles): align their rows to 16 bytes or split the product"));
  }
  const dim3 grid(static_cast<unsigned>(a_tiles + b_tiles), 1,
                  static_cast<unsigned>(std::max(A.products, B.products)));
  relayout<T><<<grid, relayout_threads, 0, stream>>>(A, B, a_tiles);
  check(cudaGetLastError(), "launch a kernel");
}

}  // namespace rooftile::cuda_native
