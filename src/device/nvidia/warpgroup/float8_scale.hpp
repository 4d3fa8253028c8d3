// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/float8.hpp"
#include "rooftile/matrix.hpp"

/// Formats and scales of 8-bit floats as the `warpgroup` kernel reads them.
namespace rooftile::detail::hopper {

/// For factors that are not 8-bit floats.
struct NoFactors {};

/// The scales of an operand (X,K) of a batch of products: element (x,k) is multiplied by data[(x >> shift) ·
/// stride + k / 128 · k_stride].
struct Float8Scale {
  const float* data = nullptr;  ///< on the device; null: all scales are 1
  Index stride = 0;             ///< 0: all x share a scale; otherwise 1 if scales do not vary along K
  Index k_stride = 0;           ///< 0: all k share a scale
  Index batch_stride = 0;       ///< from one product to the next
  int extent = 0;               ///< X
  int shift = 0;                ///< 7: 128 x share a scale

  /// Returns the address of the scale of x in step `k_block`; null if there are none. x may exceed the
  /// operand.
  __device__ const float* at(int product, int x, int k_block) const {
    const int last = extent - 1;
    if (data == nullptr) return nullptr;
    return data + product * batch_stride + k_block * k_stride + ((x < last ? x : last) >> shift) * stride;
  }
};

/// Describes the 8-bit floats of a launch.
struct Float8Factors {
  Float8Scale a, b;
  Float8Format a_format, b_format;

  /// Whether scales vary along K, so that each step is multiplied by its own.
  __device__ bool vary() const { return a.k_stride != 0 || b.k_stride != 0; }
};

}  // namespace rooftile::detail::hopper
