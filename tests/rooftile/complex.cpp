// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/complex.hpp"

#include <random>
#include <sstream>
#include <type_traits>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "cpu/update.hpp"
#include "numerics/reference.hpp"
#include "plan/batch_parts.hpp"
#include "plan/prepare.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/matrix_views.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using testing::multiply, testing::seed;

/// A type with the memory layout of `complex`.
template <class R>
struct Foreign {
  using value_type = R;
  R parts[2];
  R real() const { return parts[0]; }
  R imag() const { return parts[1]; }
};

TEMPLATE_TEST_CASE("a complex number is two numbers that a kernel can copy", "[complex]", float, double) {
  using Z = complex<TestType>;
  STATIC_CHECK(sizeof(Z) == 2 * sizeof(TestType));
  STATIC_CHECK(alignof(Z) == alignof(TestType));  // as in C and Fortran
  STATIC_CHECK(std::is_trivially_copyable_v<Z>);
  STATIC_CHECK(std::is_trivially_default_constructible_v<Z>);
  STATIC_CHECK(Z(2, 3) * Z(5, -7) == Z(31, 1));
  STATIC_CHECK(Z(2, 3) + Z(5, -7) - Z(1, 1) == Z(6, -5));
  STATIC_CHECK((-Z(2, 3) == Z(-2, -3) && Z(4) == Z(4, 0) && Z(4) != Z(4, 1)));
  STATIC_CHECK((std::is_convertible_v<std::complex<TestType>, Z> && std::is_convertible_v<int, Z>));
  CHECK(Z(std::complex<TestType>(1, -2)) == Z(1, -2));
  CHECK(std::complex<TestType>(Z(1, -2)) == std::complex<TestType>(1, -2));
  CHECK(Z(complex<double>(0.1, 3)) == Z(static_cast<TestType>(0.1), 3));
  std::ostringstream text;
  text << Z(1, -2);
  CHECK(text.str() == "(1,-2)");
}

TEST_CASE("complex sums add four products of parts", "[complex]") {
  complex<float> sum(1, 2);
  detail::multiply_add(sum, complex<float>(3, 4), complex<float>(5, 6));
  CHECK(sum == complex<float>(1 + 15 - 24, 2 + 18 + 20));
}

TEST_CASE("matrices of other libraries' complex numbers convert to the library's", "[complex][matrix]") {
  Foreign<double> memory[6] = {{{1, 2}}, {{3, 4}}};
  const auto X = matrix_ref(row_major(memory, 2, 3));
  STATIC_CHECK(std::is_same_v<decltype(X), const MatrixRef<complex<double>>>);
  CHECK(X(0, 1) == complex<double>(3, 4));
  CHECK((X.rows == 2 && X.cols == 3 && X.row_stride == 3 && X.col_stride == 1));
  const auto Y = matrix_ref(row_major<const std::complex<float>>(nullptr, 2, 3));
  STATIC_CHECK(std::is_same_v<decltype(Y), const MatrixRef<const complex<float>>>);
  const auto Z =
      batch_ref(BatchRef<std::complex<float>>{row_major<std::complex<float>>(nullptr, 2, 3), 6, 4});
  STATIC_CHECK(std::is_same_v<decltype(Z), const BatchRef<complex<float>>>);
  CHECK((Z.stride == 6 && Z.count == 4));
}

TEST_CASE("conjugation is kept by every copy of a matrix, and does not change a real one",
          "[complex][matrix]") {
  STATIC_CHECK(sizeof(MatrixRef<float>) == sizeof(float*) + 4 * sizeof(Index));
  complex<double> memory[6] = {{1, 2}, {3, 4}};
  const auto X = row_major(memory, 2, 3);
  CHECK_FALSE(detail::reads_conjugates(X));
  CHECK(X.conjugated().value(0, 1) == complex<double>(3, -4));
  CHECK(X.conjugated()(0, 1) == complex<double>(3, 4));  // the stored value
  CHECK(X.adjoint().value(1, 0) == complex<double>(3, -4));
  CHECK(X.adjoint().adjoint().value(0, 1) == complex<double>(3, 4));
  const MatrixRef<const complex<double>> constant = X.conjugated();
  CHECK((detail::reads_conjugates(constant) && detail::reads_conjugates(constant.transposed()) &&
         detail::reads_conjugates(matrix_ref(constant))));
  CHECK((detail::reads_conjugates(constant.block(0, 1, 1, 1)) &&
         detail::reads_conjugates(constant.at(memory))));
  CHECK(detail::reads_conjugates(BatchRef<const complex<double>>{constant, 6, 2}[1]));
  CHECK(BatchRef<const complex<double>>{constant, 6, 2}.adjoint().first.value(1, 0) == complex<double>(3, 4));
  float number = 3;
  CHECK(row_major(&number, 1, 1).conjugated().value(0, 0) == 3);
}

TEST_CASE("conjugation of other libraries' complex numbers is kept on the way to ours", "[complex][matrix]") {
  std::complex<double> memory[6] = {{1, 2}, {3, 4}};
  const auto X = row_major(memory, 2, 3);
  CHECK(X.conjugated().value(0, 1) == std::complex<double>(3, -4));
  CHECK(matrix_ref(X.conjugated()).value(0, 1) == complex<double>(3, -4));
  CHECK(matrix_ref(X.adjoint()).value(1, 0) == complex<double>(3, -4));
  CHECK(matrix_ref(X.adjoint().conjugated()).value(1, 0) == complex<double>(3, 4));
  const MatrixRef<const std::complex<double>> constant = X.conjugated();
  CHECK((detail::reads_conjugates(constant) && detail::reads_conjugates(matrix_ref(constant))));
  CHECK(batch_ref(BatchRef<std::complex<double>>{X, 0, 2}.adjoint()).first.value(1, 0) ==
        complex<double>(3, -4));
  Foreign<float> number{{1, 2}};
  CHECK(matrix_ref(row_major(&number, 1, 1).conjugated()).value(0, 0) == complex<float>(1, -2));
}

TEST_CASE("C of complex numbers keeps its infinite parts where beta is 1", "[complex]") {
  using Z = complex<double>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto check = [](auto update) {
    Z c(infinity, 5);
    update(c, Z(1), Z(0, 2), Z(1));
    CHECK(c == Z(infinity, 7));
    c = Z(2, 3);
    update(c, Z(0, 1), Z(0, 2), Z(0, 1));
    CHECK(c == Z(-2 - 3, 2));
  };
  check([](Z& c, Z alpha, Z product, Z beta) { detail::update(c, alpha, product, beta); });
  check([](Z& c, Z alpha, Z product, Z beta) { portable::update(c, alpha, product, beta); });  // on CPUs
}

TEST_CASE("a product of conjugates is the conjugate of one with one of them", "[complex]") {
  using Z = complex<double>;
  const Z a(2, 3), b(5, -7);
  for (const bool conjugate_a : {false, true}) {
    for (const bool conjugate_b : {false, true}) {
      auto A = row_major(&a, 1, 1), B = row_major(&b, 1, 1);
      if (conjugate_a) A = A.conjugated();
      if (conjugate_b) B = B.conjugated();
      const Z sum = a * detail::conjugated_if(detail::conjugates_b(A, B), b);
      CHECK(detail::conjugated_if(detail::reads_conjugates(A), sum) == A.value(0, 0) * B.value(0, 0));
    }
  }
}

TEST_CASE("C that is read as its conjugates is a product of conjugates", "[complex][batch]") {
  using Z = complex<float>;
  Z a(2, 3), b(5, -7), c(1, 1);
  const GemmArgs<Z> given{{0, 1},
                          row_major<const Z>(&a, 1, 1),
                          row_major<const Z>(&b, 1, 1),
                          {0, 2},
                          row_major(&c, 1, 1).conjugated()};
  CHECK_FALSE(detail::is_prepared<Z>(given));
  const GemmArgs<Z> ready = detail::prepared<Z>(given).first;
  CHECK_FALSE(detail::reads_conjugates(ready.C));
  CHECK((detail::reads_conjugates(ready.A) && detail::reads_conjugates(ready.B)));
  CHECK((ready.alpha == Z(0, -1) && ready.beta == Z(0, -2)));
}

/// A random product with its operands.
template <class T>
struct Drawn {
  std::mt19937_64 bits{seed};
  std::vector<T> a, b, c;
  GemmArgs<T> args;

  Drawn(Index m, Index n, Index k, bool conjugate_a, bool conjugate_b)
      : a(fill(m * k)), b(fill(k * n)), c(fill(m * n)), args{{1.5, -0.5}, {}, {}, {0.25, 2}, {}} {
    args.A = row_major<const T>(a.data(), m, k);
    args.B = column_major<const T>(b.data(), k, n);
    args.C = row_major(c.data(), m, n);
    if (conjugate_a) args.A = args.A.conjugated();
    if (conjugate_b) args.B = args.B.conjugated();
  }

 private:
  std::vector<T> fill(Index count) {
    std::uniform_real_distribution<Real<T>> part(-1, 1);
    std::vector<T> all(static_cast<std::size_t>(count));
    for (T& x : all) x = detail::from_parts<T>([&] { return part(bits); });
    return all;
  }
};

TEMPLATE_TEST_CASE("the reference of complex numbers agrees with the definition, part by part",
                   "[complex][reference]", complex<float>, complex<double>) {
  using T = TestType;
  for (const bool conjugate_a : {false, true}) {
    for (const bool conjugate_b : {false, true}) {
      Drawn<T> p(7, 9, 300, conjugate_a, conjugate_b);
      const Reference<T> reference(p.args);
      multiply(p.args);
      const Verification found = reference.compare(p.args.C);
      CHECK(found.ratio > 0);
      CHECK(found.passed());
      // Both parts are compared.
      for (Real<T> T::*part : {&T::re, &T::im}) {
        T& x = p.args.C(3, 5);
        const T before = x;
        x.*part += 300 * 1000 * std::numeric_limits<Real<T>>::epsilon();
        const Verification worst = reference.compare(p.args.C);
        CHECK((!worst.passed() && worst.row == 3 && worst.col == 5));
        x = before;
      }
      Drawn<T> other(7, 9, 300, !conjugate_a, conjugate_b);
      multiply(other.args);
      CHECK_FALSE(reference.compare(other.args.C).passed());
    }
  }
}

}  // namespace
}  // namespace rooftile
