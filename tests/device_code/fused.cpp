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

template void fuse(const MatrixRef<const float>&, const MatrixRef<const float>&, const MatrixRef<float>&,
                   const MatrixRef<const float>&, const VectorRef<float>&);
template void fuse(const MatrixRef<const double>&, const MatrixRef<const double>&, const MatrixRef<double>&,
                   const MatrixRef<const double>&, const VectorRef<double>&);
template void fuse(const MatrixRef<const float16>&, const MatrixRef<const float16>&,
                   const MatrixRef<float16>&, const MatrixRef<const float16>&, const VectorRef<float16>&);
template void fuse(const MatrixRef<const bfloat16>&, const MatrixRef<const bfloat16>&,
                   const MatrixRef<bfloat16>&, const MatrixRef<const bfloat16>&, const VectorRef<bfloat16>&);
template void fuse(const MatrixRef<const complex<float>>&, const MatrixRef<const complex<float>>&,
                   const MatrixRef<complex<float>>&, const MatrixRef<const complex<float>>&,
                   const VectorRef<complex<float>>&);
template void fuse(const MatrixRef<const complex<double>>&, const MatrixRef<const complex<double>>&,
                   const MatrixRef<complex<double>>&, const MatrixRef<const complex<double>>&,
                   const VectorRef<complex<double>>&);

}  // namespace rooftile::testing
