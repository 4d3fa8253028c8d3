// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The Fortran interface of BLAS, with default and with 64-bit integers. It ignores the hidden lengths of the
// character arguments, which Fortran passes after the others.
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

// Aliases: the names in the OpenBLAS of NumPy and SciPy.
#define ROOFTILE_GEMM(name, message, T, I)                                                              \
  void name(const char* transa, const char* transb, const I* m, const I* n, const I* k, const T* alpha, \
            const T* a, const I* lda, const T* b, const I* ldb, const T* beta, T* c, const I* ldc) {    \
    gemm(message, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                        \
  }                                                                                                     \
  [[gnu::alias(#name)]] decltype(name) scipy_##name;
ROOFTILE_GEMM(sgemm_, "SGEMM ", float, I32)
ROOFTILE_GEMM(dgemm_, "DGEMM ", double, I32)
ROOFTILE_GEMM(cgemm_, "CGEMM ", complex<float>, I32)
ROOFTILE_GEMM(zgemm_, "ZGEMM ", complex<double>, I32)
ROOFTILE_GEMM(sgemm_64_, "SGEMM ", float, I64)
ROOFTILE_GEMM(dgemm_64_, "DGEMM ", double, I64)
ROOFTILE_GEMM(cgemm_64_, "CGEMM ", complex<float>, I64)
ROOFTILE_GEMM(zgemm_64_, "ZGEMM ", complex<double>, I64)
#undef ROOFTILE_GEMM

}  // extern "C"

}  // namespace rooftile::blas
