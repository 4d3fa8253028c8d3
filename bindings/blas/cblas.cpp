// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// CBLAS, the C interface of BLAS, with int and with 64-bit integers.
#include <cstdint>

#include "bindings/blas/errors.hpp"
#include "bindings/blas/gemm.hpp"

namespace rooftile::blas {

namespace {

/// CBLAS_LAYOUT and CBLAS_TRANSPOSE, which programs declare. OpenBLAS defines conj_no_trans; Netlib does not.
constexpr int by_rows = 101, by_columns = 102;
constexpr int no_trans = 111, trans = 112, conj_trans = 113, conj_no_trans = 114;

/// The BLAS letter of an operation, or a blank if the operation is unknown.
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

/// Checks the arguments in the order of Netlib.
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
  // A row-major C is, in column-major order, Cᵀ = op(B)ᵀ·op(A)ᵀ.
  const GemmCall<T> call = rows ? GemmCall<T>{op_b, op_a, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc}
                                : GemmCall<T>{op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  // CBLAS has the layout as an additional first argument.
  if (const int wrong = wrong_argument(call); wrong != 0) {
    return report_to_cblas<Int>(name, wrong + 1, rows, "", 0);
  }
  multiply(name, call);
}

using I32 = std::int32_t;
using I64 = std::int64_t;

/// CBLAS passes complex scalars by address.
template <class T>
T scalar(const void* x) {
  return *static_cast<const T*>(x);
}

}  // namespace

extern "C" {

// Aliases: the names in the OpenBLAS of NumPy and SciPy. With 64-bit integers also the names in an OpenBLAS
// whose symbols end in 64_, such as Julia's.
#define ROOFTILE_ALIAS(name, other) [[gnu::alias(#name)]] decltype(name) other;
#define ROOFTILE_GEMM(function, name, T, I)                                                                \
  void function(int layout, int transa, int transb, I m, I n, I k, T alpha, const T* a, I lda, const T* b, \
                I ldb, T beta, T* c, I ldc) {                                                              \
    gemm(name, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                      \
  }
#define ROOFTILE_COMPLEX_GEMM(function, name, T, I)                                                         \
  void function(int layout, int transa, int transb, I m, I n, I k, const void* alpha, const void* a, I lda, \
                const void* b, I ldb, const void* beta, void* c, I ldc) {                                   \
    gemm(name, layout, transa, transb, m, n, k, scalar<T>(alpha), a, lda, b, ldb, scalar<T>(beta), c, ldc); \
  }
#define ROOFTILE_GEMMS(kind, name, T)                                                         \
  kind(name, #name, T, I32) kind(name##_64, #name, T, I64) ROOFTILE_ALIAS(name, scipy_##name) \
      ROOFTILE_ALIAS(name##_64, scipy_##name##64_) ROOFTILE_ALIAS(name##_64, name##64_)
ROOFTILE_GEMMS(ROOFTILE_GEMM, cblas_sgemm, float)
ROOFTILE_GEMMS(ROOFTILE_GEMM, cblas_dgemm, double)
ROOFTILE_GEMMS(ROOFTILE_COMPLEX_GEMM, cblas_cgemm, complex<float>)
ROOFTILE_GEMMS(ROOFTILE_COMPLEX_GEMM, cblas_zgemm, complex<double>)
#undef ROOFTILE_GEMMS
#undef ROOFTILE_ALIAS
#undef ROOFTILE_COMPLEX_GEMM
#undef ROOFTILE_GEMM

}  // extern "C"

}  // namespace rooftile::blas
