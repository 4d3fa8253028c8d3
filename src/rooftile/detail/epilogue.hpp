// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/complex.hpp"
#include "rooftile/detail/function.hpp"

namespace rooftile::detail {

/// Returns beta·c. For complex numbers, beta = 1 returns c itself as in BLAS: infinity times 0 would be NaN.
template <class S, class V>
ROOFTILE_FUNCTION V scaled(S beta, V c) {
  if constexpr (is_complex<V>) {
    return beta == S(1) ? c : beta * c;
  } else {
    return beta * c;
  }
}

/// Computes c = alpha·product + beta·c. All kernels implement the beta rule of BLAS here: beta = 0 overwrites
/// C without reading it, even if C holds NaN.
/// @tparam C  element of C, or a vector of elements
/// @tparam V  accumulator of C: C itself, or float for 16-bit elements. Integers wrap around
/// @tparam S  scalar type of V
template <class C, class V, class S>
ROOFTILE_FUNCTION void update(C& c, S alpha, V product, S beta) {
  if constexpr (std::is_same_v<V, Arithmetic<V>>) {
    c = static_cast<C>(beta == S(0) ? alpha * product : alpha * product + scaled(beta, static_cast<V>(c)));
  } else {
    using U = Arithmetic<V>;
    auto sum = static_cast<U>(c);
    update(sum, static_cast<U>(alpha), static_cast<U>(product), static_cast<U>(beta));
    c = static_cast<C>(sum);
  }
}

}  // namespace rooftile::detail
