// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: A, B and C are matrices: this View or mdspan has rank 5 or more, not 2
#include "matrix.hpp"

void f(const Matrix<float>& a, const Matrix<float>& b,
       const Kokkos::View<float*****, Exec::memory_space>& c) {
  multiply(a, b, c);
}
