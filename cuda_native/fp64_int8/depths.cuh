// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/row_readers.cuh"
#include "numerics/scale.hpp"

/// The depth of a row: three quarters of its elements lie at most this many powers of two below its largest
/// magnitude.
namespace rooftile::cuda_native::residues {

using namespace rooftile::residues;

/// Counts the elements of a block's rows by depth: the number of powers of two below the largest magnitude of
/// the row. Each thread counts in 4 bits, then in 8 bits, and then adds to the counts of the block. Depths
/// from `told_apart` on are not counted. A row with three quarters of its elements that deep never passes the
/// guard below K = 2²⁷.
template <bool contiguous>
class RowDepths {
 public:
  __device__ RowDepths() {
    for (int i = threadIdx.x; i < told_apart * Readers::rows; i += Readers::threads) counts()[i] = 0;
    __syncthreads();
  }

  /// @param fraction  an element divided by the power of two of the row's largest magnitude
  __device__ void add(double fraction) {
    const unsigned depth = 1023 - (static_cast<unsigned>(__double2hiint(fraction)) >> 20 & 2047);
    const unsigned one = 1u << (depth % 8 * 4);
#pragma unroll
    for (int i = 0; i < words; ++i) few_[i] += depth / 8 == i ? one : 0;
  }
  /// Moves the 4-bit counts to the 8-bit counts. @param elements  number of calls of `add` since the last
  /// call, at most 15
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
  /// Completes the counts. Waits for all threads of the block.
  __device__ void finish() {
    flush();
    __syncthreads();
  }
  /// Returns the least depth that three quarters of the row's K elements do not exceed; `depths` if there is
  /// none.
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
    int mine = 0;  // for contiguous rows: each lane keeps the warp's count of one depth
#pragma unroll
    for (int word = 0; word < 2 * words; ++word) {
#pragma unroll
      for (int byte = 0; byte < 4; byte += 2) {
        unsigned pair = more_[word] >> 8 * (byte / 2) & 0x00ff00ff;  // bytes byte / 2 and byte / 2 + 2
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

  unsigned few_[words] = {};       ///< 4-bit counts of 8 depths per word
  unsigned more_[2 * words] = {};  ///< 8-bit counts of the even and of the odd depths
  int pending_ = 0;
};

}  // namespace rooftile::cuda_native::residues
