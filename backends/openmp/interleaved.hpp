// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/openmp/simd.hpp"
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

  /// factor·x. The definition's four products, of which one in each part is rounded before the sum.
  [[gnu::always_inline]] static Vector times(const Number& factor, const Vector& x) {
    return factor.re * x + alternating(-factor.im, factor.im) * swapped(x);
  }

  /// alpha·sum + beta·c, by the rules of `detail::update`.
  [[gnu::always_inline]] static Vector updated(const Vector& sum, const Vector& c, const Number& alpha,
                                               const Number& beta) {
    const Vector product = alpha == Number(1) ? sum : times(alpha, sum);
    if (beta == Number(0)) return product;
    return beta == Number(1) ? product + c : product + times(beta, c);
  }
};

/// A·B of which sums of the products with A's real parts, and with its imaginary parts, are known apart.
template <class R>
struct JoinedSums {
  R real_im;             ///< the sign that imaginary parts of the first have; its real parts have none
  R other_re, other_im;  ///< the signs of the second, parts swapped

  /// @param a, b  whether the operand is read as its conjugate
  JoinedSums(bool a, bool b)
      : real_im(b ? R(-1) : R(1)), other_re(a == b ? R(-1) : R(1)), other_im(a ? R(-1) : R(1)) {}

  /// Those of a vector.
  template <class V>
  [[gnu::always_inline]] auto of(const typename V::Vector& by_real,
                                 const typename V::Vector& by_imaginary) const {
    using I = Interleaved<V, R>;
    return I::alternating(1, real_im) * by_real +
           I::alternating(other_re, other_im) * I::swapped(by_imaginary);
  }
};

}  // namespace rooftile::portable
