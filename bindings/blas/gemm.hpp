// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "bindings/offload/explain.hpp"
#include "bindings/offload/offload.hpp"
#include "bindings/offload/on_cpu.hpp"
#include "plan/execute.hpp"
#include "plan/prepare.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::blas {

/// The arguments of BLAS gemm in order: C (m,n) = alpha·op(A)·op(B) + beta·C, with column-major matrices.
template <class T>
struct GemmCall {
  char transa, transb;  ///< N, T, C, or R (conjugation without transposition), in upper or lower case
  Index m, n, k;
  T alpha;
  const T* a;
  Index lda;
  const T* b;
  Index ldb;
  T beta;
  T* c;
  Index ldc;
};

/// LSAME of BLAS: compares letters, ignoring case.
constexpr bool is_letter(char letter, char upper) {
  return letter == upper || letter == upper - 'A' + 'a';
}

/// Whether an operation does not transpose. OpenBLAS defines R; reference BLAS does not.
constexpr bool is_as_stored(char trans) {
  return is_letter(trans, 'N') || is_letter(trans, 'R');
}

/// The number of the first invalid argument, in the numbering and order of reference BLAS; 0 if all are
/// valid.
template <class T>
int wrong_argument(const GemmCall<T>& call) {
  const auto is_known = [](char trans) {
    return is_as_stored(trans) || is_letter(trans, 'T') || is_letter(trans, 'C');
  };
  const Index rows_of_a = is_as_stored(call.transa) ? call.m : call.k;
  const Index rows_of_b = is_as_stored(call.transb) ? call.k : call.n;
  if (!is_known(call.transa)) return 1;
  if (!is_known(call.transb)) return 2;
  if (call.m < 0) return 3;
  if (call.n < 0) return 4;
  if (call.k < 0) return 5;
  if (call.lda < std::max<Index>(1, rows_of_a)) return 8;
  if (call.ldb < std::max<Index>(1, rows_of_b)) return 10;
  return call.ldc < std::max<Index>(1, call.m) ? 13 : 0;
}

/// op(X), with shape (rows,cols).
template <class T>
MatrixRef<const T> operand(char trans, const T* x, Index rows, Index cols, Index ld) {
  const bool as_stored = is_as_stored(trans);
  MatrixRef<const T> read = as_stored ? column_major(x, rows, cols, ld) : column_major(x, cols, rows, ld);
  if (!as_stored) read = read.transposed();
  return is_letter(trans, 'C') || is_letter(trans, 'R') ? read.conjugated() : read;
}

/// The product that a call describes.
template <class T>
GemmArgs<T> product_of(const GemmCall<T>& call) {
  const auto& [transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc] = call;
  return {alpha, operand(transa, a, m, k, lda), operand(transb, b, k, n, ldb), beta,
          column_major(c, m, n, ldc)};
}

/// Lets the GPU library compute a product in which A and B are swapped. @return whether it did
/// BLAS cannot return an error: the program ends if neither the GPU nor the CPU can compute the product.
template <class T>
[[gnu::cold, gnu::noinline]] bool computed_by_gpu(const GemmArgs<T>& args) noexcept {
  gpu::Answer answer;
  const auto outcome = bindings::multiply_by_gpu<T, &bindings::compute_on_cpu<T>>(args, true, answer);
  if (outcome == gpu::Outcome::refused) {
    std::fprintf(stderr, "rooftile: %s\n", answer.why);
    std::abort();
  }
  return outcome == gpu::Outcome::done;
}

/// Computes the product of a call, without a log.
template <class T>
void compute(const GemmCall<T>& call) noexcept {
  const auto& [transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc] = call;
  const bool reads = alpha != T(0) && k > 0;  // A and B
  if (m == 0 || n == 0 || (!reads && beta == T(1))) return;
  GemmArgs<T> args{alpha, operand(transa, a, m, k, lda), operand(transb, b, k, n, ldb), beta,
                   column_major(c, m, n, ldc)};
  args = args.transposed();  // makes C row-major, as the kernels expect
  if (!reads) {
    args.alpha = T(0);  // alpha may be NaN, and kernels multiply their empty sum by it
    args.A = {c, n, 0, 0, 0}, args.B = {c, 0, m, 0, 0};
  }
  if (bindings::may_take_gpu(args.shape()) && computed_by_gpu(args)) return;
  bindings::compute_on_cpu(args);
}

/// Computes the product of a call. @pre the arguments are valid
/// @param name  the routine, for example `DGEMM ` or `cblas_dgemm`
template <class T>
void multiply(std::string_view name, const GemmCall<T>& call) noexcept {
  if (detail::is_log_off()) [[likely]]
    return compute(call);
  const BatchArgs<T> product = product_of(call);
  bindings::last_was_gpu = false;
  detail::observe(
      portable::HostEngine(), name.substr(0, name.find(' ')), product, [&] { compute(call); },
      [&] { return bindings::explain<T>(detail::prepared(product)); });
}

}  // namespace rooftile::blas
