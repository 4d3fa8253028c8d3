// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"

namespace rooftile::detail {

/// The one place with BLAS' rule for beta: zero overwrites, so that C may hold anything before, NaN included.
/// @tparam C  an element or a vector of them
/// @tparam V  what sums of C are: C itself, or float for elements of 16 bits
/// @tparam S  the scalar of V
template <class C, class V, class S>
ROOFTILE_FUNCTION void update(C& c, S alpha, V product, S beta) {
  c = static_cast<C>(beta == S(0) ? alpha * product : alpha * product + beta * static_cast<V>(c));
}

}  // namespace rooftile::detail
