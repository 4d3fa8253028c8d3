// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The gemm of Kokkos Kernels under its own name, as called by code that includes our header instead of
// theirs.
#include "rooftile/kokkosblas.hpp"

#include <string>

#include <catch2/catch_template_test_macros.hpp>

#include "numerics/reference.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

/// Small integers, whose sums are exact. Complex types get imaginary parts.
template <class Matrix>
void fill(const Matrix& x, int first) {
  using T = typename Matrix::non_const_value_type;
  for (int i = 0; i < static_cast<int>(x.extent(0)); ++i) {
    for (int j = 0; j < static_cast<int>(x.extent(1)); ++j) {
      const int re = (first + 3 * i + 5 * j) % 7 - 3, im = (first + i * j) % 5 - 2;
      if constexpr (detail::Complex<T>) {
        x(i, j) = T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
      } else {
        x(i, j) = static_cast<T>(re);
      }
    }
  }
}

/// op(X) by the definition.
template <class T>
MatrixRef<T> operation(char letter, const MatrixRef<T>& X) {
  return letter == 'N' ? X : letter == 'T' ? X.transposed() : X.adjoint();
}

TEMPLATE_TEST_CASE("KokkosBlas::gemm is Rooftile's where its header replaces KokkosKernels'", "[kokkosblas]",
                   float, double, Kokkos::complex<float>, Kokkos::complex<double>) {
  using T = TestType;
  const Kokkos::OpenMP& exec = instance();
  for (const char a : {'N', 'T', 'C'}) {
    for (const char b : {'N', 'T', 'C'}) {
      const int m = 30, n = 20, k = 10;
      const Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> A("A", a == 'N' ? m : k,
                                                                        a == 'N' ? k : m);
      const Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> B("B", b == 'N' ? k : n,
                                                                       b == 'N' ? n : k);
      const Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::OpenMP> C("C", m, n), before("before", m, n);
      fill(A, 1), fill(B, 2), fill(C, 3), fill(before, 3);
      const Kokkos::View<const T**, Kokkos::LayoutRight, Kokkos::HostSpace> read_only = A;
      const std::string letters[] = {std::string(1, a) + " and more",
                                     std::string(1, static_cast<char>(b - 'A' + 'a'))};
      const T alpha(2), beta(-1);
      KokkosBlas::gemm(exec, letters[0].c_str(), letters[1].c_str(), alpha, read_only, B, beta, C);
      KokkosBlas::gemm(letters[0].c_str(), letters[1].c_str(), alpha, A, B, T(1), C);
      using Own = std::remove_cvref_t<decltype(*matrix_ref(C).data)>;
      const auto product = [&](const auto& old) {
        return Reference<Own>(
            GemmArgs<Own>{Own(2), operation(a, matrix_ref(A)), operation(b, matrix_ref(B)), Own(1), old});
      };
      // Computes 2·op(A)·op(B) − before a second time.
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) before(i, j) = -before(i, j);
      }
      gemm(exec, Own(2), operation(a, matrix_ref(A)), operation(b, matrix_ref(B)), Own(1), before);
      CHECK(product(matrix_ref(before)).compare_exact(matrix_ref(C)).ratio == 0);
    }
  }
}

TEST_CASE("KokkosBlas::gemm refuses an unknown operation", "[kokkosblas]") {
  const Kokkos::OpenMP& exec = instance();
  const Kokkos::View<double**, Kokkos::HostSpace> X("X", 3, 3), C("C", 3, 3);
  CHECK(refused([&] { KokkosBlas::gemm(exec, "Trans", "X", 1.0, X, X, 0.0, C); }) ==
        "unknown operation (transB X): give N, T or C");
  CHECK(problem([&] { KokkosBlas::gemm("", "N", 1.0, X, X, 0.0, C); }) == "unknown operation (transA )");
}

}  // namespace
}  // namespace rooftile::testing
