// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/simd.hpp"
#include "rooftile/complex.hpp"
#include "rooftile/matrix.hpp"

/// Vectors of complex numbers as they lie in memory: real parts in the even lanes, imaginary ones in the odd.
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

  /// (im,re) of each.
  [[gnu::always_inline]] static Vector swapped(const Vector& x) {
    return [&]<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(x, x, (l ^ 1)...);
    }
    (typename V::Lanes());
  }

  /// (even,odd) for each.
  [[gnu::always_inline]] static Vector alternating(R even, R odd) {
    const Vector evens = even - Vector{}, odds = odd - Vector{};
    return [&]<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(evens, odds, (l % 2 == 0 ? l : V::lanes + l)...);
    }
    (typename V::Lanes());
  }

  /// A number that vectors, or their conjugates, are multiplied by: its part for each part of theirs, and for
  /// the other one.
  struct Factor {
    Vector own, other;

    [[gnu::always_inline]] Factor(const Number& z, bool of_conjugates) {
      const R sign = of_conjugates ? R(-1) : R(1);
      own = alternating(z.re, sign * z.re);
      other = alternating(-sign * z.im, z.im);
    }
  };

  /// c + factor·x. Each product has a sum of its own to be added to: of two for one sum the compiler may
  /// round either, and another one elsewhere.
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
