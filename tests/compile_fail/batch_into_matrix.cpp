// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: C of several products has rank 3 or 4, or is a BatchRef: this View or mdspan has rank 2
#include "matrix.hpp"

void f(const Matrix<float>& a, const Matrix<float>& b, const Matrix<float>& c) {
  rooftile::gemm_strided_batched(Exec(), 1, a, b, 0, c);
}
