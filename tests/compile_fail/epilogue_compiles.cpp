// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <rooftile/fused.hpp>

#include "matrix.hpp"

void f(const Matrix<float>& a, const Matrix<float>& b, const Matrix<float>& c) {
  const auto twice = KOKKOS_LAMBDA(rooftile::Index, rooftile::Index, float value) {
    return 2 * value;
  };
  rooftile::gemm_fused(Exec(), 1, a, b, 0, c, twice);
}
