// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "numerics/guard.hpp"
#include "numerics/parts.hpp"
#include "plan/int8_choice.hpp"
#include "rooftile/int8_guard.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile {

namespace detail {

/// `int8_guard` of either kind of numbers.
template <class T>
Int8Guard int8_guard_of(const MatrixRef<const T>& A, const MatrixRef<const T>& B) {
  if (const std::string_view why = why_not_int8({A.rows, B.cols, A.cols}, Path::portable, type_of<T>());
      !why.empty())
    return {0, {}, {}, why};
  constexpr int parts = residues::part_count<T>;
  const auto spread = [](const MatrixRef<const T>& X) {
    residues::Spread of_rows;
    for (Index i = 0; i < X.rows; ++i) of_rows.add(residues::scale_of_row(X, i), parts * X.cols);
    return of_rows;
  };
  Int8Guard guard{0, spread(A), spread(B.transposed())};
  guard.decide(parts * A.cols);
  return guard;
}

}  // namespace detail

/// How `gemm` would compute A·B in `Math::fp64_int8`, for which it asks the same at every call. Reads A and B
/// twice. Every element of the result is then within (K + 4)·2⁻⁵³·(|A|·|B|) of the exact one, as those of a
/// sum in fp64 are, before alpha and beta (docs/fp64-from-int8.md).
/// @param A,B  (M,K) and (K,N), in memory of the host. @pre they conform
inline Int8Guard int8_guard(const MatrixRef<const double>& A, const MatrixRef<const double>& B) {
  return detail::int8_guard_of(A, B);
}
/// The same in `Math::cfp64_int8`. The real part of every element is then within (2·K + 4)·2⁻⁵³ of
/// |Ar|·|Br| + |Ai|·|Bi|, the imaginary one of |Ar|·|Bi| + |Ai|·|Br|.
inline Int8Guard int8_guard(const MatrixRef<const complex<double>>& A,
                            const MatrixRef<const complex<double>>& B) {
  return detail::int8_guard_of(A, B);
}

}  // namespace rooftile
