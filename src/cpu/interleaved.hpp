// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/simd.hpp"
#include "rooftile/complex.hpp"
#include "rooftile/matrix.hpp"

/// Vectors of complex numbers in memory order: real parts in the even lanes, imaginary parts in the odd
/// lanes.
namespace rooftile::portable {

/// @tparam V  vectors of R
template <class V, class R>
struct Interleaved {
  using Vector = typename V::Vector;
  using Number = complex<R>;
  static constexpr int numbers = V::lanes / 2;

  [[gnu::always_inline]] static Vector load(const Number* from) {
    Vector x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  [[gnu::always_inline]] static void store(Number* to, const Vector& x) {
    std::memcpy(static_cast<void*>(to), &x, sizeof x);
  }

  /// Swaps the real and the imaginary part of each number.
  [[gnu::always_inline]] static Vector swapped(const Vector& x) {
    return [&]<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(x, x, (l ^ 1)...);
    }
    (typename V::Lanes());
  }

  /// `even` in the even lanes, `odd` in the odd lanes.
  [[gnu::always_inline]] static Vector alternating(R even, R odd) {
    const Vector evens = even - Vector{}, odds = odd - Vector{};
    return [&]<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(evens, odds, (l % 2 == 0 ? l : V::lanes + l)...);
    }
    (typename V::Lanes());
  }

  /// A complex factor of vectors of numbers or of their conjugates. `own` multiplies the parts in place,
  /// `other` the swapped parts.
  struct Factor {
    Vector own, other;

    [[gnu::always_inline]] Factor(const Number& z, bool of_conjugates) {
      const R sign = of_conjugates ? R(-1) : R(1);
      own = alternating(z.re, sign * z.re);
      other = alternating(-sign * z.im, z.im);
    }
  };

  /// c + factor·x as two multiply-adds. In a single expression with two products, the compiler could fuse
  /// either product, and could choose differently in another place.
  [[gnu::always_inline]] static Vector sum(Vector c, const Factor& factor, const Vector& x) {
    c += factor.own * x;
    c += factor.other * swapped(x);
    return c;
  }

  /// alpha·x + beta·c, by the rules of `detail::update`.
  [[gnu::always_inline]] static Vector updated(const Vector& x, const Vector& c, const Factor& alpha,
                                               const Number& beta) {
    Vector scaled = c;
    if (beta == Number(0)) {
      scaled = Vector{};
    } else if (beta != Number(1)) {
      scaled = sum(Vector{}, Factor(beta, false), c);
    }
    return sum(scaled, alpha, x);
  }
};

}  // namespace rooftile::portable
