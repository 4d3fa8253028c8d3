// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A dgemm_ that BLAS' testers must report, and a cblas_dgemm that HPL must: the first element is off.
#include <cstdint>

#include "tests/bindings/blas/blas.hpp"

namespace rooftile::testing {

extern "C" void dgemm_(const char* transa, const char* transb, const std::int32_t* m, const std::int32_t* n,
                       const std::int32_t* k, const double* alpha, const double* a, const std::int32_t* lda,
                       const double* b, const std::int32_t* ldb, const double* beta, double* c,
                       const std::int32_t* ldc) {
  const Call<double> x{by_columns, *transa, *transb, *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc};
  call<double, std::int64_t>(&dgemm_64_, x);
  if (*m > 0 && *n > 0 && *k > 0) c[0] += 1e-9;
}

extern "C" void cblas_dgemm(int layout, int transa, int transb, std::int32_t m, std::int32_t n,
                            std::int32_t k, double alpha, const double* a, std::int32_t lda, const double* b,
                            std::int32_t ldb, double beta, double* c, std::int32_t ldc) {
  cblas_dgemm_64(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (m > 0 && n > 0 && k > 0) c[0] += 1e-3;
}

}  // namespace rooftile::testing
