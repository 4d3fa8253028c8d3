// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "rooftile/problem.hpp"
#include "tests/support/refused.hpp"

/// Helpers of the unit tests.
namespace rooftile::testing {

/// The seed of every random test. Printed on failure.
inline constexpr std::uint64_t seed = 20261121;

/// C = alpha·A·B + beta·C by the definition.
template <class T>
void multiply(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      Scalar<T> sum = 0;
      for (Index k = 0; k < A.cols; ++k) sum += A.value(i, k) * B.value(k, j);
      C(i, j) = static_cast<T>(alpha * sum + (beta == 0 ? Scalar<T>(0) : beta * C(i, j)));
    }
  }
}

}  // namespace rooftile::testing

namespace rooftile {

/// Makes a failed CHECK print the matrix.
template <class T>
std::ostream& operator<<(std::ostream& out, const MatrixRef<T>& X) {
  return out << X.rows << " x " << X.cols << ", strides " << X.row_stride << " and " << X.col_stride << " at "
             << static_cast<const void*>(X.data);
}

}  // namespace rooftile
