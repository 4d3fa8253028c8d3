// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rooftile/detail/int8_choice.hpp"
#include "rooftile/device/residues/guard.hpp"
#include "rooftile/int8_guard.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile {

/// How `gemm` would compute A·B in `Math::fp64_int8`, for which it asks the same at every call. Reads A and B
/// twice. Every element of the result is then within (K + 4)·2⁻⁵³·(|A|·|B|) of the exact one, as those of a
/// sum in fp64 are, before alpha and beta (docs/fp64-from-int8.md).
/// @param A,B  (M,K) and (K,N), in memory of the host. @pre they conform
inline Int8Guard int8_guard(const MatrixRef<const double>& A, const MatrixRef<const double>& B) {
  if (const std::string_view why = detail::why_not_int8({A.rows, B.cols, A.cols}, Path::portable);
      !why.empty())
    return {0, {}, {}, why};
  const auto spread = [](const MatrixRef<const double>& X) {
    residues::Spread of_rows;
    for (Index i = 0; i < X.rows; ++i)
      of_rows.add(residues::scale_of(X.cols, [&](Index k) { return X(i, k); }), X.cols);
    return of_rows;
  };
  Int8Guard guard{0, spread(A), spread(B.transposed())};
  guard.decide(A.cols);
  return guard;
}

}  // namespace rooftile
