// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/complex.hpp"
#include "rooftile/device/common/repack.hpp"

namespace rooftile::detail::hopper {

/// Of `detail::Repack`, for 1M: stores two complex numbers as they are, or as two rows of real ones, whose
/// products with a row of A's parts, (re,im) one after the other, are the real and the imaginary part of the
/// complex product.
struct StoreTwins {
  int rows = 1;      ///< 2: b becomes (re,-im) in a row and (im,re) in the next
  Index ld = 0;      ///< elements from one row to the next
  float sign_a = 1;  ///< -1: A, which lies as it is, is read as its conjugates
  float sign_b = 1;  ///< -1: B is

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
