// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device/common/repack.hpp"
#include "device/nvidia/hopper/tf32.hpp"
#include "rooftile/complex.hpp"

/// How `detail::Repack` stores operands of wgmma: unchanged, as two tf32 parts, or as rows of real numbers.
namespace rooftile::detail::hopper {

/// Stores 16 bytes unchanged, or the big and the small tf32 parts of fp32.
/// @pre `from` is aligned to 4 bytes
struct StoreParts {
  static constexpr int rows = 1;

  Index small_parts = 0;  ///< elements from a big tf32 part to its small part; 0: no split

  template <class T>
  __device__ void operator()(T* to, const T* from) const {
    if constexpr (std::is_same_v<T, float>) {
      if (small_parts > 0) {
        Vector<float, 4> big, small;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          big.value[e] = round_to_tf32(from[e]);
          small.value[e] = round_to_tf32(from[e] - big.value[e]);
        }
        *reinterpret_cast<Vector<float, 4>*>(to + small_parts) = small;
        *reinterpret_cast<Vector<float, 4>*>(to) = big;
        return;
      }
    }
    detail::StoreVector{}(to, from);
  }
};

/// For the 1M method: stores two complex numbers unchanged, or as two rows of real numbers. The products of
/// these rows with a row of A's interleaved parts (re,im) are the real and the imaginary part of the complex
/// product.
struct StoreTwins {
  int rows = 1;      ///< 2: b becomes (re,-im) in a row and (im,re) in the next
  Index ld = 0;      ///< elements from one row to the next
  float sign_a = 1;  ///< -1: A, which is not copied, is conjugated
  float sign_b = 1;  ///< -1: B is conjugated

  template <class T>
  __device__ void operator()(T* to, const T* from) const {
    if (rows == 1) return detail::StoreVector{}(to, from);
    using Two = Vector<T, 2>;
    Two re, im;
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const auto [b_re, b_im] = T(from[e].re, sign_b * from[e].im);
      re.value[e] = {b_re, -sign_a * b_im};
      im.value[e] = {b_im, sign_a * b_re};
    }
    *reinterpret_cast<Two*>(to) = re;
    *reinterpret_cast<Two*>(to + ld) = im;
  }
};

}  // namespace rooftile::detail::hopper
