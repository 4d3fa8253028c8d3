// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The kernels that a user's file compiles with an epilogue, for each element type.
#include "backends/kokkos/fused_launch.hpp"
#include "rooftile/epilogue.hpp"

namespace rooftile::testing {

template <class T>
void fuse(const MatrixRef<const T>& A, const MatrixRef<const T>& B, const MatrixRef<T>& C,
          const MatrixRef<const T>& D, const VectorRef<T>& scales) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto epilogue = epilogue::chain(
      epilogue::row_scale(scales), epilogue::plus(2, D),
      [] KOKKOS_FUNCTION(Index i, Index j, Scalar<T> value) { return i < j ? Scalar<T>(0) : value; });
  portable::gemm_fused(exec, BatchArgs<T>{{1, A, B, 1, C}, {}}, {}, epilogue);
}

#define FUSE(T)                                                                                 \
  template void fuse(const MatrixRef<const T>&, const MatrixRef<const T>&, const MatrixRef<T>&, \
                     const MatrixRef<const T>&, const VectorRef<T>&);
FUSE(float)
FUSE(double)
FUSE(float16)
FUSE(bfloat16)
FUSE(complex<float>)
FUSE(complex<double>)

}  // namespace rooftile::testing
