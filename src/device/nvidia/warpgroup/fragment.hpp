// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/nvidia/hopper/tf32.hpp"
#include "device/nvidia/hopper/wgmma.hpp"

/// Loads fp32 A from shared memory into the registers of a warpgroup, which multiplies it in tf32.
namespace rooftile::detail::hopper {

/// The rows of its warpgroup's 64 that a warp multiplies. The tensor cores accept any 16 rows, but bank
/// conflicts depend on the rows. With two runs of 8 rows, 16 apart, a warp reads pairs of rows without a
/// conflict.
struct PermutedRows {
  /// Returns row `half` (0 or 1) of the pair that lanes 4 · `group` to 4 · `group` + 3 hold. The pair is rows
  /// `group` and `group` + 8 of the warp's 16.
  static __device__ int row(int warp, int group, int half) {
    return warp / 2 * 32 + chunk(warp, group) * 4 + group % 2 * 2 + half;
  }

  /// Returns which 16 bytes of a line of 32 rows hold the pair.
  static __device__ int chunk(int warp, int group) { return warp % 2 * 2 + group / 4 + group / 2 % 2 * 4; }
};

/// A's elements (64,32) of a stage, in the order of `wgmma::MultiplyRegisters`.
struct Fragment {
  static constexpr int steps = swizzle_bytes / wgmma::step_bytes;
  float x[steps][4];
};

/// Loads a fragment from shared memory.
/// @param tile  64 rows as TMA writes them: swizzled lines of 128 bytes
template <Major major>
__device__ Fragment load_fragment(int thread, const char* tile) {
  const int warp = thread / 32 % 4, group = thread % 32 / 4, lane_k = thread % 4;
  Fragment a;
#pragma unroll
  for (int step = 0; step < Fragment::steps; ++step) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int k = step * 8 + half * 4 + lane_k;
      if constexpr (major == Major::mn) {
        // Boxes of 32 rows; a line is one k.
        const int chunk = PermutedRows::chunk(warp, group);
        const char* const line = tile + (warp / 2 * 32 + k) * swizzle_bytes;
        const float2 pair = *reinterpret_cast<const float2*>(line + (chunk ^ k % 8) * 16 + group % 2 * 8);
        a.x[step][half * 2] = pair.x;
        a.x[step][half * 2 + 1] = pair.y;
      } else {
        // A line is a row.
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int row = PermutedRows::row(warp, group, i);
          a.x[step][half * 2 + i] = *reinterpret_cast<const float*>(tile + row * swizzle_bytes +
                                                                    (k / 4 ^ row % 8) * 16 + lane_k * 4);
        }
      }
    }
  }
  return a;
}

/// Splits a into two tf32 parts, whose sum is a with an error up to 2⁻²² of a. Leaves the big parts in `a`
/// and returns the small parts.
__device__ inline Fragment split_fragment(Fragment& a) {
  Fragment small;
#pragma unroll
  for (int step = 0; step < Fragment::steps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float big = round_to_tf32(a.x[step][i]);
      small.x[step][i] = round_to_tf32(a.x[step][i] - big);
      a.x[step][i] = big;
    }
  }
  return small;
}

}  // namespace rooftile::detail::hopper
