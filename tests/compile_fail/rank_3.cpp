// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: this View or mdspan has rank 3, not 2; several products are for gemm_batched
#include "matrix.hpp"

void f(const Matrix<float>& a, const Matrix<float>& b, const Kokkos::View<float***, Exec::memory_space>& c) {
  multiply(a, b, c);
}
