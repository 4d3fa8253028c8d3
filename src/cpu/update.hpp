// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/detail/epilogue.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

namespace rooftile::portable {

/// `detail::update` with the same rounding wherever it is compiled. Of alpha·product + beta·c the compiler
/// may fuse either product with the sum, and takes one here and the other there: the bits would depend on the
/// kernel, and so on the number of threads. Here each product has a sum of its own, and alpha's is in no
/// branch.
template <class C, class V, class S>
[[gnu::always_inline]] inline void update(C& c, S alpha, V product, S beta) {
  if constexpr (detail::is_complex<V> || std::is_integral_v<V>) {  // integers have no rounding
    detail::update(c, alpha, product, beta);
  } else {
    V sum{};
    if (beta != S(0)) sum += beta * static_cast<V>(c);
    sum += alpha * product;
    c = static_cast<C>(sum);
  }
}

/// sum += x. Integers wrap around.
template <class T>
[[gnu::always_inline]] inline void add(T& sum, const T& x) {
  using U = detail::Arithmetic<T>;
  sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(x));
}

/// sums = alpha·sums + beta·C for C of 16 bits, not rounded: what an epilogue gets. @param sums  (rows,ld)
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
