// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The C interface, CBLAS, with int and with 64-bit integers.
#include <cstdint>

#include "bindings/blas/errors.hpp"
#include "bindings/blas/gemm.hpp"

namespace rooftile::blas {

namespace {

/// CBLAS_LAYOUT and CBLAS_TRANSPOSE, which programs declare. OpenBLAS has conj_no_trans, Netlib has not.
constexpr int by_rows = 101, by_columns = 102;
constexpr int no_trans = 111, trans = 112, conj_trans = 113, conj_no_trans = 114;

/// BLAS' letter, or a blank.
constexpr char letter(int operation) {
  switch (operation) {
    case no_trans:
      return 'N';
    case trans:
      return 'T';
    case conj_trans:
      return 'C';
    case conj_no_trans:
      return 'R';
    default:
      return ' ';
  }
}

/// What is wrong with a call is found in Netlib's order.
template <class T, class Int>
void gemm(const char* name, int layout, int transa, int transb, Int m, Int n, Int k, T alpha, const void* A,
          Int lda, const void* B, Int ldb, T beta, void* C, Int ldc) {
  const auto* const a = static_cast<const T*>(A);
  const auto* const b = static_cast<const T*>(B);
  auto* const c = static_cast<T*>(C);
  const bool rows = layout == by_rows;
  if (!rows && layout != by_columns) {
    return report_to_cblas<Int>(name, 1, false, "Illegal layout setting, %d\n", layout);
  }
  const char op_a = letter(transa), op_b = letter(transb);
  if (op_a == ' ') return report_to_cblas<Int>(name, 2, rows, "Illegal TransA setting, %d\n", transa);
  if (op_b == ' ') return report_to_cblas<Int>(name, 3, rows, "Illegal TransB setting, %d\n", transb);
  // By rows, C is the transpose by columns of op(B)ᵀ·op(A)ᵀ.
  const GemmCall<T> call = rows ? GemmCall<T>{op_b, op_a, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc}
                                : GemmCall<T>{op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  // The layout is one argument more.
  if (const int wrong = wrong_argument(call); wrong != 0) {
    return report_to_cblas<Int>(name, wrong + 1, rows, "", 0);
  }
  multiply(name, call);
}

using I32 = std::int32_t;
using I64 = std::int64_t;

/// CBLAS passes complex scalars by their address.
template <class T>
T scalar(const void* x) {
  return *static_cast<const T*>(x);
}

}  // namespace

extern "C" {

void cblas_sgemm(int layout, int transa, int transb, I32 m, I32 n, I32 k, float alpha, const float* a,
                 I32 lda, const float* b, I32 ldb, float beta, float* c, I32 ldc) {
  gemm("cblas_sgemm", layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_dgemm(int layout, int transa, int transb, I32 m, I32 n, I32 k, double alpha, const double* a,
                 I32 lda, const double* b, I32 ldb, double beta, double* c, I32 ldc) {
  gemm("cblas_dgemm", layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_cgemm(int layout, int transa, int transb, I32 m, I32 n, I32 k, const void* alpha, const void* a,
                 I32 lda, const void* b, I32 ldb, const void* beta, void* c, I32 ldc) {
  gemm("cblas_cgemm", layout, transa, transb, m, n, k, scalar<complex<float>>(alpha), a, lda, b, ldb,
       scalar<complex<float>>(beta), c, ldc);
}
void cblas_zgemm(int layout, int transa, int transb, I32 m, I32 n, I32 k, const void* alpha, const void* a,
                 I32 lda, const void* b, I32 ldb, const void* beta, void* c, I32 ldc) {
  gemm("cblas_zgemm", layout, transa, transb, m, n, k, scalar<complex<double>>(alpha), a, lda, b, ldb,
       scalar<complex<double>>(beta), c, ldc);
}
void cblas_sgemm_64(int layout, int transa, int transb, I64 m, I64 n, I64 k, float alpha, const float* a,
                    I64 lda, const float* b, I64 ldb, float beta, float* c, I64 ldc) {
  gemm("cblas_sgemm", layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_dgemm_64(int layout, int transa, int transb, I64 m, I64 n, I64 k, double alpha, const double* a,
                    I64 lda, const double* b, I64 ldb, double beta, double* c, I64 ldc) {
  gemm("cblas_dgemm", layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_cgemm_64(int layout, int transa, int transb, I64 m, I64 n, I64 k, const void* alpha, const void* a,
                    I64 lda, const void* b, I64 ldb, const void* beta, void* c, I64 ldc) {
  gemm("cblas_cgemm", layout, transa, transb, m, n, k, scalar<complex<float>>(alpha), a, lda, b, ldb,
       scalar<complex<float>>(beta), c, ldc);
}
void cblas_zgemm_64(int layout, int transa, int transb, I64 m, I64 n, I64 k, const void* alpha, const void* a,
                    I64 lda, const void* b, I64 ldb, const void* beta, void* c, I64 ldc) {
  gemm("cblas_zgemm", layout, transa, transb, m, n, k, scalar<complex<double>>(alpha), a, lda, b, ldb,
       scalar<complex<double>>(beta), c, ldc);
}

// The names in an OpenBLAS whose names end in 64_, as Julia's does.
[[gnu::alias("cblas_sgemm_64")]] decltype(cblas_sgemm_64) cblas_sgemm64_;
[[gnu::alias("cblas_dgemm_64")]] decltype(cblas_dgemm_64) cblas_dgemm64_;
[[gnu::alias("cblas_cgemm_64")]] decltype(cblas_cgemm_64) cblas_cgemm64_;
[[gnu::alias("cblas_zgemm_64")]] decltype(cblas_zgemm_64) cblas_zgemm64_;

// The names in NumPy's and SciPy's OpenBLAS.
[[gnu::alias("cblas_sgemm")]] decltype(cblas_sgemm) scipy_cblas_sgemm;
[[gnu::alias("cblas_dgemm")]] decltype(cblas_dgemm) scipy_cblas_dgemm;
[[gnu::alias("cblas_cgemm")]] decltype(cblas_cgemm) scipy_cblas_cgemm;
[[gnu::alias("cblas_zgemm")]] decltype(cblas_zgemm) scipy_cblas_zgemm;
[[gnu::alias("cblas_sgemm_64")]] decltype(cblas_sgemm_64) scipy_cblas_sgemm64_;
[[gnu::alias("cblas_dgemm_64")]] decltype(cblas_dgemm_64) scipy_cblas_dgemm64_;
[[gnu::alias("cblas_cgemm_64")]] decltype(cblas_cgemm_64) scipy_cblas_cgemm64_;
[[gnu::alias("cblas_zgemm_64")]] decltype(cblas_zgemm_64) scipy_cblas_zgemm64_;

}  // extern "C"

}  // namespace rooftile::blas
