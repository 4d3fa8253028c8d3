// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "rooftile/matrix.hpp"

namespace rooftile::testing {

/// The gemm of BLAS in Fortran: transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc.
template <class T, class Int>
using FortranGemm = void(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*,
                         const Int*, const T*, const Int*, const T*, T*, const Int*);

/// The gemm of CBLAS, without its first argument, the layout. Real scalars by value, complex ones by address.
template <class T, class Int, class S = std::conditional_t<std::is_floating_point_v<T>, T, const void*>,
          class E = std::conditional_t<std::is_floating_point_v<T>, T, void>>
using CGemm = void(int, int, int, Int, Int, Int, S, const E*, Int, const E*, Int, S, E*, Int);

extern "C" {
// The last names of each type are those in builds of OpenBLAS.
#define ROOFTILE_TEST_NAMES(letter, T)                                     \
  FortranGemm<T, std::int32_t> letter##gemm_, scipy_##letter##gemm_;       \
  FortranGemm<T, std::int64_t> letter##gemm_64_, scipy_##letter##gemm_64_; \
  CGemm<T, std::int32_t> cblas_##letter##gemm, scipy_cblas_##letter##gemm; \
  CGemm<T, std::int64_t> cblas_##letter##gemm_64, cblas_##letter##gemm64_, scipy_cblas_##letter##gemm64_;
ROOFTILE_TEST_NAMES(s, float)
ROOFTILE_TEST_NAMES(d, double)
ROOFTILE_TEST_NAMES(c, complex<float>)
ROOFTILE_TEST_NAMES(z, complex<double>)
#undef ROOFTILE_TEST_NAMES
}

/// CBLAS' constants for layouts and operations.
inline constexpr int by_rows = 101, by_columns = 102;
constexpr int cblas_operation(char trans) {
  switch (trans) {
    case 'N':
    case 'n':
      return 111;
    case 'T':
    case 't':
      return 112;
    case 'R':
    case 'r':
      return 114;
    default:
      return 113;
  }
}

/// A call of any interface, with CBLAS' layout. Fortran's layout is column-major.
template <class T>
struct Call {
  int layout = by_columns;
  char transa = 'N', transb = 'N';
  Index m = 0, n = 0, k = 0;
  T alpha{1};
  const T* a = nullptr;
  Index lda = 1;
  const T* b = nullptr;
  Index ldb = 1;
  T beta{0};
  T* c = nullptr;
  Index ldc = 1;
};

template <class T, class Int>
void call(FortranGemm<T, Int>* gemm, const Call<T>& x) {
  const Int m = static_cast<Int>(x.m), n = static_cast<Int>(x.n), k = static_cast<Int>(x.k);
  const Int lda = static_cast<Int>(x.lda), ldb = static_cast<Int>(x.ldb), ldc = static_cast<Int>(x.ldc);
  gemm(&x.transa, &x.transb, &m, &n, &k, &x.alpha, x.a, &lda, x.b, &ldb, &x.beta, x.c, &ldc);
}

template <class T, class Int>
void call(CGemm<T, Int>* gemm, const Call<T>& x) {
  const auto scalar = [](const T& s) {
    if constexpr (std::is_floating_point_v<T>) {
      return s;
    } else {
      return static_cast<const void*>(&s);
    }
  };
  gemm(x.layout, cblas_operation(x.transa), cblas_operation(x.transb), static_cast<Int>(x.m),
       static_cast<Int>(x.n), static_cast<Int>(x.k), scalar(x.alpha), x.a, static_cast<Int>(x.lda), x.b,
       static_cast<Int>(x.ldb), scalar(x.beta), x.c, static_cast<Int>(x.ldc));
}

/// The four interfaces of each type.
enum class Interface { fortran, fortran_64, cblas, cblas_64 };
inline constexpr Interface interfaces[] = {Interface::fortran, Interface::fortran_64, Interface::cblas,
                                           Interface::cblas_64};

template <class T>
void call(Interface by, const Call<T>& x) {
  constexpr auto choose = [](auto* s, auto* d, auto* c, auto* z) {
    if constexpr (std::is_same_v<T, float>) {
      return s;
    } else if constexpr (std::is_same_v<T, double>) {
      return d;
    } else if constexpr (std::is_same_v<T, complex<float>>) {
      return c;
    } else {
      return z;
    }
  };
  switch (by) {
    case Interface::fortran:
      return call<T, std::int32_t>(choose(&sgemm_, &dgemm_, &cgemm_, &zgemm_), x);
    case Interface::fortran_64:
      return call<T, std::int64_t>(choose(&sgemm_64_, &dgemm_64_, &cgemm_64_, &zgemm_64_), x);
    case Interface::cblas:
      return call<T, std::int32_t>(choose(&cblas_sgemm, &cblas_dgemm, &cblas_cgemm, &cblas_zgemm), x);
    case Interface::cblas_64:
      return call<T, std::int64_t>(choose(&cblas_sgemm_64, &cblas_dgemm_64, &cblas_cgemm_64, &cblas_zgemm_64),
                                   x);
  }
}

}  // namespace rooftile::testing
