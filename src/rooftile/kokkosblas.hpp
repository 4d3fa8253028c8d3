// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rooftile/gemm.hpp"

#ifdef KOKKOSBLAS3_GEMM_HPP_
#error "KokkosBlas3_gemm.hpp also defines KokkosBlas::gemm: include rooftile/kokkosblas.hpp in its place"
#endif

namespace rooftile::detail {

/// Returns op(X) for the first letter of `trans`: N, T or C. @throws Error  for another letter
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

/// The names of KokkosKernels. Include this header in place of `KokkosBlas3_gemm.hpp`; the code stays as it
/// is. A source file cannot use both headers.
namespace KokkosBlas {

/// Computes C = alpha·op(A)·op(B) + beta·C by `rooftile::gemm`. @see @ref calls
///
/// @param space  the execution space instance that computes
/// @param transA,transB  N, T or C, in upper or lower case; later characters are ignored
/// @param A,B,C  Views of rank 2 with one element type; op(A) is (M,K), op(B) is (K,N), C is (M,N)
/// @throws rooftile::Error  as `rooftile::gemm`, and for another letter. Like the exception of KokkosKernels,
///        it is a std::runtime_error.
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

/// Computes the product on the default instance of C's execution space. @see the overload with an instance
template <class AViewType, class BViewType, class CViewType>
void gemm(const char transA[], const char transB[], typename AViewType::const_value_type& alpha,
          const AViewType& A, const BViewType& B, typename CViewType::const_value_type& beta,
          const CViewType& C) {
  gemm(typename CViewType::execution_space(), transA, transB, alpha, A, B, beta, C);
}

}  // namespace KokkosBlas
