// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: C is written to
#include "matrix.hpp"

void f(const Matrix<float>& a, const Matrix<float>& b, const Matrix<const float>& c) {
  multiply(a, b, c);
}
