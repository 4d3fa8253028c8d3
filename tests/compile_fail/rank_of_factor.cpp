// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: A, B and C are matrices: this View or mdspan has rank 1, not 2
#include "matrix.hpp"

void f(const Kokkos::View<const float*, Exec::memory_space>& a, const Matrix<float>& b,
       const Matrix<float>& c) {
  multiply(a, b, c);
}
