// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: A, B and C of a group, or with an epilogue, have one element type
#include "matrix.hpp"
#include "rooftile/gemm_grouped.hpp"

void f(const Matrix<float>& a, const Matrix<float>& b, const Matrix<double>& c) {
  static_cast<void>(rooftile::gemm_args(1, a, b, 0, c));
}
