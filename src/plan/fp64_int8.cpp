// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/fp64_int8.hpp"

#include <string_view>

#include "numerics/guard.hpp"
#include "numerics/parts.hpp"
#include "plan/int8_choice.hpp"

namespace rooftile {

namespace {

/// Implements `int8_guard` for real and complex numbers.
template <class T>
Int8Guard int8_guard_of(const MatrixRef<const T>& A, const MatrixRef<const T>& B) {
  const GemmShape shape{A.rows, B.cols, A.cols};
  const std::string_view why = detail::why_not_int8(shape, Path::portable, type_of<T>());
  if (!why.empty()) return {0, {}, {}, why};
  constexpr int parts = residues::part_count<T>;
  const auto spread = [](const MatrixRef<const T>& X) {
    residues::Spread of_rows;
    for (Index i = 0; i < X.rows; ++i)
      residues::add_row(of_rows, residues::scale_of_row(X, i), parts * X.cols);
    return of_rows;
  };
  Int8Guard guard{0, spread(A), spread(B.transposed())};
  guard.decide(parts * A.cols);
  return guard;
}

}  // namespace

void Int8Guard::decide(Index k) {
  moduli = residues::moduli_for(a, b, k);
  why = moduli > 0               ? "exact products of INT8, proven as accurate as fp64"
        : !a.finite || !b.finite ? "fp64 itself: an element is infinite or NaN"
                                 : "fp64 itself: magnitudes in a row of A or a column of B differ too "
                                   "much, or more than a quarter are zero";
}

Int8Guard int8_guard(const MatrixRef<const double>& A, const MatrixRef<const double>& B) {
  return int8_guard_of(A, B);
}

Int8Guard int8_guard(const MatrixRef<const complex<double>>& A, const MatrixRef<const complex<double>>& B) {
  return int8_guard_of(A, B);
}

}  // namespace rooftile
