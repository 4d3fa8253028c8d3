// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/detail/epilogue.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

namespace rooftile::portable {

/// `detail::update` with identical rounding wherever it is compiled. Each product has its own statement, and
/// those with alpha are outside branches. In an expression x·y + z·w, the compiler could fuse either product.
template <class C, class V, class S>
[[gnu::always_inline]] inline void update(C& c, S alpha, V product, S beta) {
  if constexpr (std::is_integral_v<V>) {  // integers do not round
    detail::update(c, alpha, product, beta);
  } else if constexpr (detail::is_complex<V>) {
    const auto multiply_add = [](V & accumulator, const S& x, const V& y) __attribute__((always_inline)) {
      accumulator.re += x.re * y.re;
      accumulator.re -= x.im * y.im;
      accumulator.im += x.re * y.im;
      accumulator.im += x.im * y.re;
    };
    // beta == 1 copies C: multiplying an infinite part by the zero imaginary part of beta gives NaN.
    V accumulator = beta == S(1) ? V(c) : V{};
    if (beta != S(0) && beta != S(1)) multiply_add(accumulator, beta, c);
    multiply_add(accumulator, alpha, product);
    c = accumulator;
  } else {
    V accumulator{};
    if (beta != S(0)) accumulator += beta * static_cast<V>(c);
    accumulator += alpha * product;
    c = static_cast<C>(accumulator);
  }
}

/// sum += x. Integers wrap around.
template <class T>
[[gnu::always_inline]] inline void add(T& sum, const T& x) {
  using U = detail::Arithmetic<T>;
  sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(x));
}

/// sums = alpha·sums + beta·C for a 16-bit C, without rounding, as an epilogue reads it. @param sums
/// (rows,ld)
template <Element16 E>
void update_sums(const MatrixRef<E>& C, float alpha, float* sums, Index ld, float beta) {
  for (Index i = 0; i < C.rows; ++i, sums += ld) {
    for (Index j = 0; j < C.cols; ++j) {
      float value = beta == 0 ? 0.0F : static_cast<float>(C(i, j));
      update(value, alpha, sums[j], beta);
      sums[j] = value;
    }
  }
}

}  // namespace rooftile::portable
