// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/complex.hpp"
#include "rooftile/detail/function.hpp"

/// 3M: complex numbers multiplied by three real products in place of four.
namespace rooftile::detail {

/// What a sum of a·b is made of: sums of a.re·b.re, of a.im·b.im and of (a.re + a.im)·(b.re + b.im).
template <class R>
struct ThreeProducts {
  R re;
  R im;
  R both;
};

/// That of b's imaginary parts where they are read as their conjugates', or are not.
ROOFTILE_FUNCTION constexpr int sign_of(int is_conjugated) {
  return is_conjugated != 0 ? -1 : 1;
}

/// The sum of a·b.
/// @param sign  of b's imaginary parts, which `both` knows
template <class R>
ROOFTILE_FUNCTION constexpr complex<R> combined(const ThreeProducts<R>& sums, R sign) {
  const R of_im = sign * sums.im;
  return {sums.re - of_im, sums.both - sums.re - of_im};
}

}  // namespace rooftile::detail
