// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The names of BLAS' gemm for the interface with 64-bit integers, so that its testers test that.
#include <cstdint>

#include "tests/bindings/blas/blas.hpp"

namespace rooftile::testing {
namespace {

using I32 = std::int32_t;

/// Fortran's call with 64-bit integers.
template <class T>
void widened(FortranGemm<T, std::int64_t>* gemm, const char* transa, const char* transb, I32 m, I32 n, I32 k,
             const T* alpha, const T* a, I32 lda, const T* b, I32 ldb, const T* beta, T* c, I32 ldc) {
  call<T, std::int64_t>(
      gemm, Call<T>{by_columns, *transa, *transb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc});
}

}  // namespace

extern "C" {

void sgemm_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,
            const float* alpha, const float* a, const I32* lda, const float* b, const I32* ldb,
            const float* beta, float* c, const I32* ldc) {
  widened(&sgemm_64_, transa, transb, *m, *n, *k, alpha, a, *lda, b, *ldb, beta, c, *ldc);
}
void dgemm_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,
            const double* alpha, const double* a, const I32* lda, const double* b, const I32* ldb,
            const double* beta, double* c, const I32* ldc) {
  widened(&dgemm_64_, transa, transb, *m, *n, *k, alpha, a, *lda, b, *ldb, beta, c, *ldc);
}
void cgemm_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,
            const complex<float>* alpha, const complex<float>* a, const I32* lda, const complex<float>* b,
            const I32* ldb, const complex<float>* beta, complex<float>* c, const I32* ldc) {
  widened(&cgemm_64_, transa, transb, *m, *n, *k, alpha, a, *lda, b, *ldb, beta, c, *ldc);
}
void zgemm_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,
            const complex<double>* alpha, const complex<double>* a, const I32* lda, const complex<double>* b,
            const I32* ldb, const complex<double>* beta, complex<double>* c, const I32* ldc) {
  widened(&zgemm_64_, transa, transb, *m, *n, *k, alpha, a, *lda, b, *ldb, beta, c, *ldc);
}
void cblas_sgemm(int layout, int transa, int transb, I32 m, I32 n, I32 k, float alpha, const float* a,
                 I32 lda, const float* b, I32 ldb, float beta, float* c, I32 ldc) {
  cblas_sgemm_64(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_dgemm(int layout, int transa, int transb, I32 m, I32 n, I32 k, double alpha, const double* a,
                 I32 lda, const double* b, I32 ldb, double beta, double* c, I32 ldc) {
  cblas_dgemm_64(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_cgemm(int layout, int transa, int transb, I32 m, I32 n, I32 k, const void* alpha, const void* a,
                 I32 lda, const void* b, I32 ldb, const void* beta, void* c, I32 ldc) {
  cblas_cgemm_64(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_zgemm(int layout, int transa, int transb, I32 m, I32 n, I32 k, const void* alpha, const void* a,
                 I32 lda, const void* b, I32 ldb, const void* beta, void* c, I32 ldc) {
  cblas_zgemm_64(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // extern "C"

}  // namespace rooftile::testing
