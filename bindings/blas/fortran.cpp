// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// BLAS' Fortran interface, with default and with 64-bit integers. The lengths of the character arguments,
// which Fortran passes behind the others, are not read.
#include <cstdint>

#include "bindings/blas/errors.hpp"
#include "bindings/blas/gemm.hpp"

namespace rooftile::blas {

namespace {

template <class T, class Int>
void gemm(const char* name, const char* transa, const char* transb, const Int* m, const Int* n, const Int* k,
          const T* alpha, const T* a, const Int* lda, const T* b, const Int* ldb, const T* beta, T* c,
          const Int* ldc) {
  const GemmCall<T> call{*transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc};
  if (const int wrong = wrong_argument(call); wrong != 0) return report<Int>(name, wrong);
  multiply(name, call);
}

using I32 = std::int32_t;
using I64 = std::int64_t;

}  // namespace

extern "C" {

void sgemm_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,
            const float* alpha, const float* a, const I32* lda, const float* b, const I32* ldb,
            const float* beta, float* c, const I32* ldc) {
  gemm("SGEMM ", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void dgemm_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,
            const double* alpha, const double* a, const I32* lda, const double* b, const I32* ldb,
            const double* beta, double* c, const I32* ldc) {
  gemm("DGEMM ", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cgemm_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,
            const complex<float>* alpha, const complex<float>* a, const I32* lda, const complex<float>* b,
            const I32* ldb, const complex<float>* beta, complex<float>* c, const I32* ldc) {
  gemm("CGEMM ", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void zgemm_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,
            const complex<double>* alpha, const complex<double>* a, const I32* lda, const complex<double>* b,
            const I32* ldb, const complex<double>* beta, complex<double>* c, const I32* ldc) {
  gemm("ZGEMM ", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void sgemm_64_(const char* transa, const char* transb, const I64* m, const I64* n, const I64* k,
               const float* alpha, const float* a, const I64* lda, const float* b, const I64* ldb,
               const float* beta, float* c, const I64* ldc) {
  gemm("SGEMM ", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void dgemm_64_(const char* transa, const char* transb, const I64* m, const I64* n, const I64* k,
               const double* alpha, const double* a, const I64* lda, const double* b, const I64* ldb,
               const double* beta, double* c, const I64* ldc) {
  gemm("DGEMM ", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cgemm_64_(const char* transa, const char* transb, const I64* m, const I64* n, const I64* k,
               const complex<float>* alpha, const complex<float>* a, const I64* lda, const complex<float>* b,
               const I64* ldb, const complex<float>* beta, complex<float>* c, const I64* ldc) {
  gemm("CGEMM ", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void zgemm_64_(const char* transa, const char* transb, const I64* m, const I64* n, const I64* k,
               const complex<double>* alpha, const complex<double>* a, const I64* lda,
               const complex<double>* b, const I64* ldb, const complex<double>* beta, complex<double>* c,
               const I64* ldc) {
  gemm("ZGEMM ", transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// The names in NumPy's and SciPy's OpenBLAS.
[[gnu::alias("sgemm_")]] decltype(sgemm_) scipy_sgemm_;
[[gnu::alias("dgemm_")]] decltype(dgemm_) scipy_dgemm_;
[[gnu::alias("cgemm_")]] decltype(cgemm_) scipy_cgemm_;
[[gnu::alias("zgemm_")]] decltype(zgemm_) scipy_zgemm_;
[[gnu::alias("sgemm_64_")]] decltype(sgemm_64_) scipy_sgemm_64_;
[[gnu::alias("dgemm_64_")]] decltype(dgemm_64_) scipy_dgemm_64_;
[[gnu::alias("cgemm_64_")]] decltype(cgemm_64_) scipy_cgemm_64_;
[[gnu::alias("zgemm_64_")]] decltype(zgemm_64_) scipy_zgemm_64_;

}  // extern "C"

}  // namespace rooftile::blas
