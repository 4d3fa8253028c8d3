// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: gemm takes float, double, float16, bfloat16 and complex
#include "matrix.hpp"

void f(const Matrix<int>& a, const Matrix<int>& b, const Matrix<int>& c) {
  multiply(a, b, c);
}
