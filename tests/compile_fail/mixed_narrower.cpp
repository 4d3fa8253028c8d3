// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: A, B and C have one element type, or C a wider one
#include "matrix.hpp"

void f(const Matrix<double>& a, const Matrix<double>& b, const Matrix<float>& c) {
  multiply(a, b, c);
}
