// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// says: BatchRefs; A and B may be matrices: this type is none of them
#include "matrix.hpp"

using Batch = Kokkos::View<float***, Exec::memory_space>;

void f(const Kokkos::View<float*, Exec::memory_space>& a, const Batch& b, const Batch& c) {
  rooftile::gemm_strided_batched(Exec(), 1, a, b, 0, c);
}
