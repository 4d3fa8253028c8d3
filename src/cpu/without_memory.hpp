// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/epilogue.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::portable {

/// Computes a product by its definition, without a workspace, where no memory is available.
template <class T>
void multiply_without_memory(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      Scalar<T> sum(0);
      for (Index k = 0; k < A.cols; ++k) {
        detail::multiply_add(sum, static_cast<Scalar<T>>(A.value(i, k)),
                             static_cast<Scalar<T>>(B.value(k, j)));
      }
      detail::update(C(i, j), alpha, sum, beta);
    }
  }
}

}  // namespace rooftile::portable
