// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rooftile/detail/int8_choice.hpp"
#include "rooftile/device/residues/guard.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile {

/// What the guard of `Math::fp64_int8` finds of two matrices.
struct Int8Guard {
  int moduli = 0;             ///< that prove fp64's accuracy; 0: fp64 itself is taken
  residues::Spread a = {};    ///< how widely the magnitudes in a row of A differ
  residues::Spread b = {};    ///< and those in a column of B
  std::string_view why = {};  ///< in a few words; lives as long as the program
};

/// How `gemm` would compute A·B in `Math::fp64_int8`, for which it asks the same at every call. Reads A and B
/// twice. Every element of the result is then within (K + 4)·2⁻⁵³·(|A|·|B|) of the exact one, as those of a
/// sum in fp64 are, before alpha and beta (docs/fp64-from-int8.md).
/// @param A,B  (M,K) and (K,N), in memory of the host. @pre they conform
inline Int8Guard int8_guard(const MatrixRef<const double>& A, const MatrixRef<const double>& B) {
  if (const std::string_view why = detail::why_not_int8({A.rows, B.cols, A.cols}); !why.empty())
    return {0, {}, {}, why};
  const auto spread = [](const MatrixRef<const double>& X) {
    residues::Spread of_rows;
    for (Index i = 0; i < X.rows; ++i)
      of_rows.add(residues::scale_of(X.cols, [&](Index k) { return X(i, k); }), X.cols);
    return of_rows;
  };
  Int8Guard guard{0, spread(A), spread(B.transposed())};
  guard.moduli = residues::moduli_for(guard.a, guard.b, A.cols);
  guard.why = guard.moduli > 0 ? "exact products of INT8, proven as accurate as fp64"
              : !guard.a.finite || !guard.b.finite
                  ? "fp64 itself: an element is infinite or NaN"
                  : "fp64 itself: magnitudes in a row of A or a column of B differ too "
                    "much, or more than a quarter are zero";
  return guard;
}

}  // namespace rooftile
