// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: A, B and C have one element type
#include "matrix.hpp"

void f(const Matrix<double>& a, const Matrix<float>& b, const Matrix<double>& c) {
  multiply(a, b, c);
}
