// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

void f(const Matrix<const float>& a, const Matrix<float>& b, const Matrix<float>& c) {
  multiply(a, b, c);
}
