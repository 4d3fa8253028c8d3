// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "matrix.hpp"
#include "rooftile/gemm_grouped.hpp"

void f(const Matrix<const float>& a, const Matrix<float>& b, const Matrix<float>& c) {
  multiply(a, b, c);
}

void mixed(const Matrix<const std::int8_t>& a, const Matrix<std::int8_t>& b, const Matrix<std::int32_t>& c,
           const Matrix<float>& x, const Matrix<double>& y) {
  multiply(a, b, c);
  multiply(x, x, y);
  const std::vector group{rooftile::gemm_args(1, x, x, 0, y)};
  rooftile::gemm_grouped(Exec(), group);
}
