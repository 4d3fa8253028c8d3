// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: an epilogue returns what an element of C can be made of
#include <rooftile/fused.hpp>

#include "matrix.hpp"

void f(const Matrix<float>& a, const Matrix<float>& b, const Matrix<float>& c) {
  rooftile::gemm_fused(Exec(), 1, a, b, 0, c, [](rooftile::Index, rooftile::Index, float) {});
}
