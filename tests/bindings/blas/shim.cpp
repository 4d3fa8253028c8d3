// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Maps the names of BLAS' gemm to the interface with 64-bit integers, so that the BLAS testers test it.
// BROKEN corrupts the first element of products of double, which the BLAS testers (dgemm_) and HPL
// (cblas_dgemm) must report.
#include <cstdint>

#include "tests/bindings/blas/blas.hpp"

namespace rooftile::testing {
namespace {

using I32 = std::int32_t;

#ifdef BROKEN
constexpr bool is_broken = true;
#else
constexpr bool is_broken = false;
#endif

void spoil(I32 m, I32 n, I32 k, double* c, double off) {
  if (is_broken && m > 0 && n > 0 && k > 0) c[0] += off;
}
void spoil(I32, I32, I32, void*, double) {}  // for the other types

/// Fortran's call with 64-bit integers.
template <class T>
void widened(FortranGemm<T, std::int64_t>* gemm, const char* transa, const char* transb, I32 m, I32 n, I32 k,
             const T* alpha, const T* a, I32 lda, const T* b, I32 ldb, const T* beta, T* c, I32 ldc) {
  call<T, std::int64_t>(
      gemm, Call<T>{by_columns, *transa, *transb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc});
  spoil(m, n, k, c, 1e-9);
}

}  // namespace

extern "C" {

#define FORTRAN_GEMM(name, T)                                                                               \
  void name##_(const char* transa, const char* transb, const I32* m, const I32* n, const I32* k,            \
               const T* alpha, const T* a, const I32* lda, const T* b, const I32* ldb, const T* beta, T* c, \
               const I32* ldc) {                                                                            \
    widened(&name##_64_, transa, transb, *m, *n, *k, alpha, a, *lda, b, *ldb, beta, c, *ldc);               \
  }
FORTRAN_GEMM(sgemm, float)
FORTRAN_GEMM(dgemm, double)
FORTRAN_GEMM(cgemm, complex<float>)
FORTRAN_GEMM(zgemm, complex<double>)

#define C_GEMM(name, Factor, T)                                                                         \
  void name(int layout, int transa, int transb, I32 m, I32 n, I32 k, Factor alpha, const T* a, I32 lda, \
            const T* b, I32 ldb, Factor beta, T* c, I32 ldc) {                                          \
    name##_64(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                    \
    spoil(m, n, k, c, 1e-3);                                                                            \
  }
C_GEMM(cblas_sgemm, float, float)
C_GEMM(cblas_dgemm, double, double)
C_GEMM(cblas_cgemm, const void*, void)
C_GEMM(cblas_zgemm, const void*, void)

}  // extern "C"

}  // namespace rooftile::testing
