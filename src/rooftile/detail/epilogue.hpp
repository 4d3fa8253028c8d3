// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "rooftile/complex.hpp"
#include "rooftile/detail/function.hpp"

namespace rooftile::detail {

/// beta·c; of complex numbers c itself for 1, as in BLAS, since an infinite part times 0 is NaN.
template <class S, class V>
ROOFTILE_FUNCTION V scaled(S beta, V c) {
  if constexpr (is_complex<V>) {
    return beta == S(1) ? c : beta * c;
  } else {
    return beta * c;
  }
}

/// The one place with BLAS' rule for beta: zero overwrites, so that C may hold anything before, NaN included.
/// @tparam C  an element or a vector of them
/// @tparam V  what sums of C are: C itself, or float for elements of 16 bits. Integers wrap around
/// @tparam S  the scalar of V
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
