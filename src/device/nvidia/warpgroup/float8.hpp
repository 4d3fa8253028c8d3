// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/nvidia/warpgroup/multiply.hpp"

/// How a consumer warpgroup multiplies 8-bit floats and applies their scales.
namespace rooftile::detail::hopper {

/// The part of a product that a warpgroup multiplies.
struct Float8Tile {
  int row0, col0;
  int product;
  int k_begin;  ///< first step along K
};

/// The row of the warpgroup's 64 to which a thread's accumulators j with j / 2 % 2 = half belong.
__device__ inline int accumulator_row(int thread, int half) {
  return thread / 32 % 4 * 16 + half * 8 + thread % 32 / 4;
}

/// Multiplies the accumulators by scales that do not vary along K.
template <class G>
__device__ void scale_accumulators(float (&acc)[G::bn / 2], const Float8Factors& factors,
                                   const Float8Tile& tile, int thread) {
  const Float8Scale &a = factors.a, &b = factors.b;
  if (a.data == nullptr && b.data == nullptr) return;
  float rows[2] = {1, 1};
  if (a.data != nullptr) {
    for (int half = 0; half < 2; ++half)
      rows[half] = __ldg(a.at(tile.product, tile.row0 + accumulator_row(thread, half), 0));
  }
  float scales[2] = {rows[0], rows[1]};
  if (b.data == nullptr || b.stride == 0 || b.shift != 0) {  // slabs of 64 columns share a scale
    constexpr int slab = slab_rows / 2;
#pragma unroll
    for (int j = 0; j < G::bn / 2; ++j) {
      if (j % slab == 0 && b.data != nullptr) {
        const float column = __ldg(b.at(tile.product, tile.col0 + j * 2, 0));
        scales[0] = rows[0] * column, scales[1] = rows[1] * column;
      }
      acc[j] *= scales[j / 2 % 2];
    }
    return;
  }
  const int first = tile.col0 + thread % 4 * 2, left = b.extent - first;
  const float* const columns = b.at(tile.product, first, 0);
#pragma unroll
  for (int j = 0; j < G::bn / 2; j += 4) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int col = j * 2 + e;
      const float column = col < left ? __ldg(columns + col) : 0;
      acc[j + e] *= rows[0] * column;
      acc[j + e + 2] *= rows[1] * column;
    }
  }
}

/// Adds the accumulators of a step.
template <int bn>
struct PromoteSums {
  __device__ void load(bool) {}
  __device__ void add(float (&sum)[bn / 2], const float (&acc)[bn / 2]) const {
#pragma unroll
    for (int j = 0; j < bn / 2; ++j) sum[j] += acc[j];
  }
};

/// Adds the accumulators of a step, multiplied by its scales. All columns share the scale of B. The scales
/// are loaded a step ahead.
template <int bn>
struct PromoteScaled {
  static_assert(bn <= 128);
  const float *a, *b;
  int other_row;  ///< elements from the scale of a thread's first row to that of its second row
  Index a_step, b_step;
  float rows[2], column;
  float next_rows[2] = {1, 1}, next_column = 1;

  __device__ PromoteScaled(const Float8Factors& factors, const Float8Tile& tile, int thread)
      : a(factors.a.at(tile.product, tile.row0 + accumulator_row(thread, 0), tile.k_begin)),
        b(factors.b.at(tile.product, tile.col0, tile.k_begin)),
        other_row(static_cast<int>(
            factors.a.at(tile.product, tile.row0 + accumulator_row(thread, 1), tile.k_begin) - a)),
        a_step(factors.a.k_stride),
        b_step(factors.b.k_stride) {
    fetch();
  }

  __device__ void fetch() {
    if (a != nullptr) next_rows[0] = __ldg(a), next_rows[1] = __ldg(a + other_row), a += a_step;
    if (b != nullptr) next_column = __ldg(b), b += b_step;
  }
  /// @param more  whether another step follows
  __device__ void load(bool more) {
    rows[0] = next_rows[0], rows[1] = next_rows[1], column = next_column;
    if (more) fetch();
  }
  __device__ void add(float (&sum)[bn / 2], const float (&acc)[bn / 2]) const {
    const float scales[] = {rows[0] * column, rows[1] * column};
#pragma unroll
    for (int j = 0; j < bn / 2; ++j) sum[j] += acc[j] * scales[j / 2 % 2];
  }
};

/// sum (64,BN) = this warpgroup's rows of A · B. The tensor cores keep about 14 bits of a sum of 8-bit
/// products. They therefore accumulate only one step, 128 elements of K, and fp32 additions sum the steps.
/// While threads add a step, the tensor cores compute the next one in other accumulators.
template <class G, class Kind, class Promote>
__device__ void multiply_promoted(float (&sum)[G::bn / 2], const WarpgroupShared<G>& shared, int thread,
                                  int sharer, int k_blocks, RingPosition<G::stages>& at, Promote promote) {
  float even[G::bn / 2], odd[G::bn / 2];
  const int warpgroup = warpgroup_of(thread);
  const auto start = [&](float(&acc)[G::bn / 2]) {
    mbarrier::wait(shared.full(at.stage), at.parity);
    wgmma::fence();
    multiply_stage<G, Kind>(acc, shared.a(at.stage, warpgroup), shared.b(at.stage), false);
    wgmma::commit();
  };
  const auto step = [&](float(&acc)[G::bn / 2], float(&next)[G::bn / 2]) {
    const int stage = at.stage;
    promote.load(true);
    at.advance();
    start(next);
    wgmma::wait_for<1>(acc);
    release<G>(shared, sharer, stage);
    promote.add(sum, acc);
  };
  const auto finish = [&](float(&acc)[G::bn / 2]) {
    const int stage = at.stage;
    promote.load(false);
    at.advance();
    wgmma::wait_for(acc);
    release<G>(shared, sharer, stage);
    promote.add(sum, acc);
  };
#pragma unroll
  for (float& x : sum) x = 0;
  start(even);
  int left = k_blocks - 1;
  for (; left > 1; left -= 2) {
    step(even, odd);
    step(odd, even);
  }
  if (left == 0) return finish(even);
  step(even, odd);
  finish(odd);
}

/// `multiply`, with the first step before the loop: for formats chosen at run time, ptxas otherwise waits for
/// each instruction.
template <class G, class Kind>
__device__ void multiply_unpromoted(float (&sum)[G::bn / 2], const WarpgroupShared<G>& shared, int thread,
                                    int sharer, int k_blocks, RingPosition<G::stages>& at) {
  const int warpgroup = warpgroup_of(thread);
  float acc[G::bn / 2];
  const auto start = [&](bool accumulate) {
    mbarrier::wait(shared.full(at.stage), at.parity);
    wgmma::fence();
    multiply_stage<G, Kind>(acc, shared.a(at.stage, warpgroup), shared.b(at.stage), accumulate);
    wgmma::commit();
  };
  start(false);
  for (int i = 1; i < k_blocks; ++i) {
    const int stage = at.stage;
    at.advance();
    start(true);
    wgmma::wait<1>();
    release<G>(shared, sharer, stage);
  }
  wgmma::wait_for(acc);
  release<G>(shared, sharer, at.stage);
  at.advance();
#pragma unroll
  for (int j = 0; j < G::bn / 2; ++j) sum[j] = acc[j];
}

/// Calls f.operator()<Kind>() for the formats of A and B.
template <class F>
__device__ void with_formats(const Float8Factors& factors, const F& f) {
  using enum Float8Format;
  if (factors.a_format == e4m3) {
    factors.b_format == e4m3 ? f.template operator()<wgmma::Float8Pair<e4m3, e4m3>>()
                             : f.template operator()<wgmma::Float8Pair<e4m3, e5m2>>();
  } else {
    factors.b_format == e4m3 ? f.template operator()<wgmma::Float8Pair<e5m2, e4m3>>()
                             : f.template operator()<wgmma::Float8Pair<e5m2, e5m2>>();
  }
}

/// sum (64,BN) = this warpgroup's rows of A · B, with their scales.
template <class G>
__device__ void multiply_float8(float (&sum)[G::bn / 2], const WarpgroupShared<G>& shared, int thread,
                                int sharer, int k_blocks, RingPosition<G::stages>& at,
                                const Float8Factors& factors, const Float8Tile& tile) {
  with_formats(factors, [&]<class Kind>() {
    if constexpr (G::bn > 128) {
      multiply_unpromoted<G, Kind>(sum, shared, thread, sharer, k_blocks, at);
    } else if (factors.vary()) {
      multiply_promoted<G, Kind>(sum, shared, thread, sharer, k_blocks, at,
                                 PromoteScaled<G::bn>(factors, tile, thread));
    } else {
      multiply_promoted<G, Kind>(sum, shared, thread, sharer, k_blocks, at, PromoteSums<G::bn>());
    }
  });
  if (!factors.vary()) scale_accumulators<G>(sum, factors, tile, thread);
}

}  // namespace rooftile::detail::hopper
