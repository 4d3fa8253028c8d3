// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: whose elements are read as they lie, or MatrixRefs: this type is none of them
#include <vector>

#include "matrix.hpp"

void f(const Matrix<float>& a, const std::vector<float>& b, const Matrix<float>& c) {
  multiply(a, b, c);
}
