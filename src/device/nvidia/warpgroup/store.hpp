// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/nvidia/hopper/tma.hpp"
#include "device/nvidia/warpgroup/store_chunk.hpp"

/// Stores the accumulators of `wgmma` in C, through shared memory. A warp writes its 16 rows as whole lines,
/// for any type, alignment and strides of C.
namespace rooftile::detail::hopper {

/// Writes a chunk to a warp's staging memory, by rows or by columns. `wgmma::Multiply` states which sums a
/// thread holds.
template <bool by_columns, class Accumulator>
__device__ void stage_chunk(int thread, const Accumulator* sums, Accumulator* staging) {
  using Two = Vector<Accumulator, 2>;
  const int group = thread % 32 / 4, pair = thread % 4 * 2;
#pragma unroll
  for (int j = 0; j < StoreStaging::cols; j += 8, sums += 4) {
    if constexpr (by_columns) {
      Accumulator* const to = staging + (pair + j) * StoreStaging::column_pitch + group * 2;
      *reinterpret_cast<Two*>(to) = {sums[0], sums[2]};
      *reinterpret_cast<Two*>(to + StoreStaging::column_pitch) = {sums[1], sums[3]};
    } else {
      Accumulator* const to = staging + group * StoreStaging::pitch + pair + j;
      *reinterpret_cast<Two*>(to) = {sums[0], sums[1]};
      *reinterpret_cast<Two*>(to + 8 * StoreStaging::pitch) = {sums[2], sums[3]};
    }
  }
}

template <bool by_columns, class Store, class Accumulator, int size>
__device__ void store_chunks(int thread, const Accumulator (&acc)[size], Accumulator* staging,
                             const Store& store) {
#pragma unroll
  for (int col = 0; col < size * 2; col += StoreStaging::cols) {
    stage_chunk<by_columns>(thread, acc + col / 2, staging);
    __syncwarp();
    store.chunk(staging, col);
    __syncwarp();
  }
}

/// The box that a warp writes next. Boxes also alternate from tile to tile. If a tile has an odd number of
/// boxes, its last box is still being read while the first box of the next tile is written.
using BoxTurn = RingPosition<StoreStaging::boxes>;

/// Two adjacent accumulators as C stores them: two elements, or one complex number.
template <class Out>
struct alignas(2 * sizeof(Out)) TwoElements {
  Out x, y;
};
template <class Out>
using StoredPair = std::conditional_t<is_complex<Out>, Out, TwoElements<Out>>;

template <class Out>
__device__ StoredPair<Out> stored_pair(ScaleOf<Out> alpha, const AccumulatorOf<Out>* sums) {
  if constexpr (is_complex<Out>) {
    return times_alpha<Out>(alpha, sums);
  } else {
    return {static_cast<Out>(times_alpha<Out>(alpha, sums)),
            static_cast<Out>(times_alpha<Out>(alpha, sums + 1))};
  }
}

/// Stores four matrices of 8 rows and 16 bytes to shared memory. Thread i has the four bytes i % 4 of row i /
/// 4 of each, and `row` is the address of row i % 8 of matrix i / 8.
__device__ inline void store_matrices(SharedAddress row, const unsigned (&x)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(x[0]),
               "r"(x[1]), "r"(x[2]), "r"(x[3])
               : "memory");
}

/// Stores a warp's sums, 16 rows of C from `origin` on, by TMA. TMA reads one box from shared memory while
/// the warp writes the other. The warp swizzles the 16-byte pieces of each line.
template <class Out, int size>
__device__ void store_boxes(int thread, const AccumulatorOf<Out> (&acc)[size], char* staging, BoxTurn& turn,
                            const CUtensorMap& map, ScaleOf<Out> alpha, tma::BoxOrigin origin) {
  using Stored = StoredPair<Out>;
  constexpr int bytes = sizeof(Stored) / 2, cols = swizzle_bytes / bytes;
  const int lane = thread % 32, row = lane / 4;
#pragma unroll
  for (int col = 0; col < size * 2; col += cols) {
    char* const box = staging + turn.stage * StoreStaging::box_bytes;
    turn.advance();
    if (lane == 0) tma::wait_for_stores<StoreStaging::boxes - 1>();
    __syncwarp();
    if constexpr (sizeof(Out) == 2) {
      // Matrices of 8 rows and 16 bytes: rows 0 and 8 of columns j, then of columns j + 8.
      const SharedAddress to = shared_address(box) + lane % 16 * swizzle_bytes + (lane / 16 ^ lane % 8) * 16;
#pragma unroll
      for (int j = 0; j < cols; j += 16) {
        unsigned pairs[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
          pairs[i] = bits_as<unsigned>(stored_pair<Out>(alpha, acc + (col + j) / 2 + i * 2));
        store_matrices(to ^ j * bytes, pairs);
      }
    } else {
#pragma unroll
      for (int j = 0; j < cols; j += 8) {
        const AccumulatorOf<Out>* const sums = acc + (col + j) / 2;
        const int byte = (j + lane % 4 * 2) * bytes;
        char* const line = box + row * swizzle_bytes + ((byte / 16) ^ row) * 16 + byte % 16;
        *reinterpret_cast<Stored*>(line) = stored_pair<Out>(alpha, sums);
        *reinterpret_cast<Stored*>(line + 8 * swizzle_bytes) = stored_pair<Out>(alpha, sums + 2);
      }
    }
    tma::fence_writes();
    __syncwarp();
    if (lane == 0) tma::store(map, {origin.column + col, origin.row, origin.plane}, shared_address(box));
  }
}

/// Stores a warpgroup's sums: 64 rows of C from (row0,col0) on. `col0` counts elements of C.
template <bool reads_c, bool permuted, class Out, int size>
__device__ void store_by(int thread, const AccumulatorOf<Out> (&acc)[size], AccumulatorOf<Out>* staging,
                         const WarpgroupResult<Out>& result, int plane, Index row0, Index col0) {
  MatrixRef<Out> C = result.C;
  C.data += plane * result.plane_stride;
  if (result.by == StoreBy::rows) {
    store_chunks<false>(thread, acc, staging,
                        StoreRows<reads_c, permuted, Out>(result, thread, C, row0, col0));
  } else if (result.by == StoreBy::elements) {
    store_chunks<false>(thread, acc, staging,
                        StoreElements<reads_c, permuted, Out>(result, thread, C, row0, col0));
  } else if constexpr (permuted) {
    store_chunks<true>(thread, acc, staging, StoreColumns<reads_c, Out>(result, thread, C, row0, col0));
  }
}

/// `store_by` with BLAS' rule for beta: zero overwrites C, whose previous values may be anything, NaN
/// included.
template <bool permuted, class Out, int size>
__device__ void store_accumulators(int thread, const AccumulatorOf<Out> (&acc)[size],
                                   AccumulatorOf<Out>* staging, const WarpgroupResult<Out>& result, int plane,
                                   Index row0, Index col0) {
  if (result.beta == ScaleOf<Out>(0.0f)) {
    store_by<false, permuted>(thread, acc, staging, result, plane, row0, col0);
  } else {
    store_by<true, permuted>(thread, acc, staging, result, plane, row0, col0);
  }
}

}  // namespace rooftile::detail::hopper
