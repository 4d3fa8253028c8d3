// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"

namespace rooftile::detail {

/// The one place with BLAS' rule for beta: zero overwrites, so that C may hold anything before, NaN included.
/// @tparam V  T, or a vector of it
template <class V, class T>
ROOFTILE_FUNCTION void update(V& c, T alpha, V product, T beta) {
  c = beta == T(0) ? alpha * product : alpha * product + beta * c;
}

}  // namespace rooftile::detail
