// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"

/// Baselines for the program and the tests. `gemm` never calls them.
namespace rooftile::vendor {

/// How BLAS reads an operand: as stored, transposed, or conjugate-transposed.
enum class Operation { none, transpose, conjugate_transpose };

/// Products in the form of BLAS' gemm: column-major.
template <class T>
struct BlasForm {
  Operation a_as = Operation::none;
  Operation b_as = Operation::none;
  Index m = 0, n = 0, k = 0;
  Scalar<T> alpha{};
  const In<T>* a = nullptr;
  Index lda = 1;
  const In<T>* b = nullptr;
  Index ldb = 1;
  Scalar<T> beta{};
  Out<T>* c = nullptr;
  Index ldc = 1;
  Batch batch;                ///< in one dimension
  BatchPointers<T> pointers;  ///< to all operands, or to none

  /// Returns product i alone. @pre the host can read the pointers
  BlasForm product(Index i) const {
    BlasForm form = *this;
    if (pointers.any()) {
      form.a = pointers.a[i], form.b = pointers.b[i], form.c = pointers.c[i];
    } else {
      form.a += i * batch.stride_a, form.b += i * batch.stride_b, form.c += i * batch.stride_c;
    }
    form.batch = {}, form.pointers = {};
    return form;
  }
};

namespace detail {

/// Returns the leading dimension of a matrix whose columns (or, if `transposed`, rows) are contiguous; 0 if
/// it has none.
template <class T>
Index leading_dimension(const MatrixRef<T>& X, bool transposed) {
  const MatrixRef<T> Y = transposed ? X.transposed() : X;
  const bool contiguous = Y.row_stride == 1 || Y.rows == 1;
  return contiguous && (Y.col_stride >= Y.rows || Y.cols == 1) ? std::max<Index>({Y.col_stride, Y.rows, 1})
                                                               : 0;
}

template <class T>
Operation operation(const MatrixRef<T>& X, bool transposed) {
  return !transposed                             ? Operation::none
         : rooftile::detail::reads_conjugates(X) ? Operation::conjugate_transpose
                                                 : Operation::transpose;
}

}  // namespace detail

/// Converts products to the form of BLAS.
/// @return the reason why BLAS cannot compute the products; empty if `form` is set
template <class T>
std::string to_blas(std::type_identity_t<BatchArgs<T>> args, BlasForm<T>& form) {
  if (const auto& [a, b, c] = args.pointers;
      (a == nullptr) != (c == nullptr) || (b == nullptr) != (c == nullptr))
    return "BLAS batches take pointers for all operands, or for none: give pointers for all";
  if (detail::leading_dimension(args.first.C, false) == 0) args = args.transposed();
  const auto& [alpha, A, B, beta, C] = args.first;
  const Index ldc = detail::leading_dimension(C, false);
  const Index lda = detail::leading_dimension(A, false), lda_t = detail::leading_dimension(A, true);
  const Index ldb = detail::leading_dimension(B, false), ldb_t = detail::leading_dimension(B, true);
  if (ldc == 0 || std::max(lda, lda_t) == 0 || std::max(ldb, ldb_t) == 0) {
    return "BLAS takes no matrix with two strides: use leading dimensions";
  }
  const auto conjugates = [](const auto& X) { return rooftile::detail::reads_conjugates(X); };
  if (conjugates(C) || (conjugates(A) && lda != 0) || (conjugates(B) && ldb != 0))
    return "BLAS conjugates only what it transposes: use an adjoint";
  form = {detail::operation(A, lda == 0),
          detail::operation(B, ldb == 0),
          C.rows,
          C.cols,
          A.cols,
          alpha,
          A.data,
          lda == 0 ? lda_t : lda,
          B.data,
          ldb == 0 ? ldb_t : ldb,
          beta,
          C.data,
          ldc,
          args.batch,
          args.pointers};
  return {};
}

}  // namespace rooftile::vendor
