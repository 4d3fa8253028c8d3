// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/row_readers.cuh"
#include "numerics/scale.hpp"

/// How far below its largest magnitude three quarters of a row lie.
namespace rooftile::cuda_native::residues {

using namespace rooftile::residues;

/// Counts the elements of a block's rows by their depth: how many powers of two they lie below the row's
/// largest. Each thread counts in 4 bits, then in 8, and then adds to the block's counts. Deep elements are
/// not told apart: three quarters of a row that lie so deep never pass the guard below K = 2²⁷.
template <bool contiguous>
class RowDepths {
 public:
  __device__ RowDepths() {
    for (int i = threadIdx.x; i < told_apart * Readers::rows; i += Readers::threads) counts()[i] = 0;
    __syncthreads();
  }

  /// @param fraction  an element divided by the power of two of its row's largest
  __device__ void add(double fraction) {
    const unsigned depth = 1023 - (static_cast<unsigned>(__double2hiint(fraction)) >> 20 & 2047);
    const unsigned one = 1u << (depth % 8 * 4);
#pragma unroll
    for (int i = 0; i < words; ++i) few_[i] += depth / 8 == i ? one : 0;
  }
  /// What was added since the last call. @param elements  how many, at most 15
  __device__ void count(int elements) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
      more_[2 * i] += few_[i] & 0x0f0f0f0f;
      more_[2 * i + 1] += few_[i] >> 4 & 0x0f0f0f0f;
      few_[i] = 0;
    }
    pending_ += elements;
    if (pending_ > 255 - 15) flush();
  }
  /// Waits for all threads' counts.
  __device__ void finish() {
    flush();
    __syncthreads();
  }
  /// The least depth that three quarters of the row's K elements reach.
  __device__ int of_most(Index k) const {
    Index reached = 0;
    for (int depth = 0; depth < told_apart; ++depth) {
      reached += counts()[depth * Readers::rows + Readers::row()];
      if (are_three_quarters(reached, k)) return depth;
    }
    return depths;
  }

 private:
  using Readers = RowReaders<contiguous>;
  static constexpr int told_apart = 32, words = told_apart / 8;

  /// (told_apart,rows)
  static __device__ int* counts() {
    __shared__ int all[told_apart * Readers::rows];
    return all;
  }

  __device__ void flush() {
    int mine = 0;  // of a contiguous row, whose warp's counts are shared out: a depth each
#pragma unroll
    for (int word = 0; word < 2 * words; ++word) {
#pragma unroll
      for (int byte = 0; byte < 4; byte += 2) {
        unsigned pair = more_[word] >> 8 * (byte / 2) & 0x00ff00ff;  // of bytes byte / 2 and byte / 2 + 2
        if (contiguous) pair = __reduce_add_sync(~0u, pair);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int depth = word / 2 * 8 + (byte / 2 + 2 * half) * 2 + word % 2;
          const int count = static_cast<int>(half == 0 ? pair & 0xffff : pair >> 16);
          if (!contiguous) atomicAdd(&counts()[depth * Readers::rows + Readers::row()], count);
          if (static_cast<int>(threadIdx.x % 32) == depth) mine = count;
        }
      }
      more_[word] = 0;
    }
    if (contiguous) atomicAdd(&counts()[threadIdx.x % 32], mine);
    pending_ = 0;
  }

  unsigned few_[words] = {};       ///< 8 depths each
  unsigned more_[2 * words] = {};  ///< of these the even and the odd ones
  int pending_ = 0;
};

}  // namespace rooftile::cuda_native::residues
