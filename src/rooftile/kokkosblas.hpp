// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rooftile/gemm.hpp"

#ifdef KOKKOSBLAS3_GEMM_HPP_
#error "KokkosBlas3_gemm.hpp has the same KokkosBlas::gemm: include rooftile/kokkosblas.hpp in its place"
#endif

namespace rooftile::detail {

/// op(X) by BLAS' letter, the first of a text.
template <class T>
MatrixRef<T> applied(const char* name, const char* trans, const MatrixRef<T>& X) {
  switch (trans[0]) {
    case 'N':
    case 'n':
      return X;
    case 'T':
    case 't':
      return X.transposed();
    case 'C':
    case 'c':
      return X.adjoint();
    default:
      throw Error(
          text("unknown operation (", name, " ", std::string_view(trans).substr(0, 1), "): give N, T or C"));
  }
}

}  // namespace rooftile::detail

/// KokkosKernels' names, for codes that call them and are to call Rooftile: this header is included in place
/// of `KokkosBlas3_gemm.hpp`, and nothing else changes. Both in one source are ambiguous.
namespace KokkosBlas {

/// C = alpha·op(A)·op(B) + beta·C by `rooftile::gemm`, as KokkosKernels' function of this name.
/// @param space          the execution space instance that the product is queued on
/// @param transA,transB  N, T or C, in either case; what follows is not read
/// @param A,B,C          Views of rank 2 and of one element type
/// @throws rooftile::Error  as `rooftile::gemm`, and where a letter is none; it is a std::runtime_error, as
///                          KokkosKernels' exception is
template <class ExecutionSpace, class AViewType, class BViewType, class CViewType>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void gemm(const ExecutionSpace& space, const char transA[], const char transB[],
          typename AViewType::const_value_type& alpha, const AViewType& A, const BViewType& B,
          typename CViewType::const_value_type& beta, const CViewType& C) {
  using rooftile::detail::applied, rooftile::matrix_ref;
  using S = rooftile::detail::ScalarOf<CViewType>;
  rooftile::gemm(space, static_cast<S>(alpha), applied("transA", transA, matrix_ref(A)),
                 applied("transB", transB, matrix_ref(B)), static_cast<S>(beta), C);
}

/// The same on the execution space of C.
template <class AViewType, class BViewType, class CViewType>
void gemm(const char transA[], const char transB[], typename AViewType::const_value_type& alpha,
          const AViewType& A, const BViewType& B, typename CViewType::const_value_type& beta,
          const CViewType& C) {
  gemm(typename CViewType::execution_space(), transA, transB, alpha, A, B, beta, C);
}

}  // namespace KokkosBlas
