// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: A, B and C of a product with an epilogue have one element type
#include <rooftile/fused.hpp>

#include "matrix.hpp"

void f(const Matrix<float>& a, const Matrix<float>& b, const Matrix<double>& c) {
  const auto twice = KOKKOS_LAMBDA(rooftile::Index, rooftile::Index, double value) {
    return 2 * value;
  };
  rooftile::gemm_fused(Exec(), 1, a, b, 0, c, twice);
}
