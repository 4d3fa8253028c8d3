// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: gemm takes float, double, float16, bfloat16 and complex
#include "matrix.hpp"

struct NoNumber {
  int x;
};

void f(const Matrix<NoNumber>& a, const Matrix<NoNumber>& b, const Matrix<NoNumber>& c) {
  rooftile::gemm(Exec(), NoNumber{1}, a, b, NoNumber{0}, c);
}
