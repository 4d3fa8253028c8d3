// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Products by each BLAS interface, compared with the reference; wrong arguments, which leave C unchanged.
#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "numerics/reference.hpp"
#include "tests/bindings/blas/blas.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

/// Whether an operation keeps rows and columns as stored.
bool is_as_stored(char trans) {
  return cblas_operation(trans) == 111 || cblas_operation(trans) == 114;
}

/// op(X) (rows,cols) of a matrix in the layout of the call.
template <class T>
MatrixRef<const T> operand(int layout, char trans, const T* x, Index rows, Index cols, Index ld) {
  const bool as_stored = is_as_stored(trans);
  const Index r = as_stored ? rows : cols, c = as_stored ? cols : rows;
  const MatrixRef<const T> stored = layout == by_rows ? row_major(x, r, c, ld) : column_major(x, r, c, ld);
  const MatrixRef<const T> read = as_stored ? stored : stored.transposed();
  return cblas_operation(trans) >= 113 ? read.conjugated() : read;
}

/// The elements that a matrix (rows,cols) spans, with the gaps between its rows or columns.
Index elements_of(int layout, Index rows, Index cols, Index ld) {
  return ld * (layout == by_rows ? rows : cols);
}

/// Creates the operands, computes a product, and checks the result and the gaps between the elements of C.
/// @param gaps  padding of the leading dimensions
template <class T>
void check(Interface by, Call<T> x, Index gaps, std::uint64_t seed) {
  const auto leading = [&](char trans, Index rows, Index cols) {
    const bool by_first = is_as_stored(trans) == (x.layout == by_columns);
    return std::max<Index>(1, by_first ? rows : cols) + gaps;
  };
  x.lda = leading(x.transa, x.m, x.k), x.ldb = leading(x.transb, x.k, x.n), x.ldc = leading('N', x.m, x.n);
  const std::vector<T> a = random<T>(x.lda * std::max({x.m, x.k, Index{1}}), seed);
  const std::vector<T> b = random<T>(x.ldb * std::max({x.k, x.n, Index{1}}), seed + 1);
  std::vector<T> c = random<T>(elements_of(x.layout, x.m, x.n, x.ldc), seed + 2);
  const auto view = [&](auto* data) {
    return x.layout == by_rows ? row_major(data, x.m, x.n, x.ldc) : column_major(data, x.m, x.n, x.ldc);
  };
  if (x.beta == T(0)) {  // C must be overwritten without being read
    for (Index i = 0; i < x.m; ++i) {
      for (Index j = 0; j < x.n; ++j) view(c.data())(i, j) = std::numeric_limits<T>::quiet_NaN();
    }
  }
  std::vector<T> before = c;
  const Reference<T> reference(GemmArgs<T>{x.alpha, operand(x.layout, x.transa, a.data(), x.m, x.k, x.lda),
                                           operand(x.layout, x.transb, b.data(), x.k, x.n, x.ldb), x.beta,
                                           view(before.data())});
  x.a = a.data(), x.b = b.data(), x.c = c.data();
  call(by, x);
  INFO("interface " << static_cast<int>(by) << " layout " << x.layout << ' ' << x.transa << x.transb << ' '
                    << x.m << 'x' << x.n << 'x' << x.k << " gaps " << gaps << " alpha " << x.alpha << " beta "
                    << x.beta << " seed " << seed);
  CHECK(reference.compare(view(c.data())).passed());
  for (Index i = 0; i < x.m; ++i) {
    for (Index j = 0; j < x.n; ++j) view(before.data())(i, j) = view(c.data())(i, j) = T(0);
  }
  CHECK((c == before));
}

TEMPLATE_TEST_CASE("random products are within their bounds, and nothing else is written", "[blas]", float,
                   double, complex<float>, complex<double>) {
  std::mt19937_64 generator(20261123);
  const auto one_of = [&](const auto& values) {
    return values[std::uniform_int_distribution<std::size_t>(0, std::size(values) - 1)(generator)];
  };
  const Index extents[] = {0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 33, 64, 65, 100, 130};
  const TestType scalars[] = {TestType(0), TestType(1), TestType(-1), random<TestType>(1, 7)[0]};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Interface by = one_of(interfaces);
    Call<TestType> x;
    if (by == Interface::cblas || by == Interface::cblas_64)
      x.layout = one_of(std::vector{by_rows, by_columns});
    x.transa = one_of(std::string("NnTtCcRr")), x.transb = one_of(std::string("NnTtCcRr"));
    x.m = one_of(extents), x.n = one_of(extents), x.k = one_of(extents);
    x.alpha = one_of(scalars), x.beta = one_of(scalars);
    check(by, x, one_of(std::vector<Index>{0, 0, 1, 5}), seed);
  }
}

TEMPLATE_TEST_CASE("products that threads share are within their bounds", "[blas]", float, double,
                   complex<float>, complex<double>) {
  const char* const operations[] = {"NR", "TC", "RT", "RC"};  // per interface
  for (std::size_t i = 0; i < std::size(interfaces); ++i) {
    Call<TestType> x{.transa = operations[i][0], .transb = operations[i][1]};
    x.alpha = TestType(-2), x.beta = TestType(3);
    for (const auto& [m, n, k] : {GemmShape{301, 250, 270}, {1500, 3, 700}, {4, 1200, 800}}) {
      x.m = m, x.n = n, x.k = k;
      check(interfaces[i], x, static_cast<Index>(i), i);
    }
  }
}

/// Checks a product (1,1,1) with a known result: op(1+2i)·op(3+4i).
template <class T>
void check_conjugates(char transa, char transb, T expected) {
  const T a(1, 2), b(3, 4);
  for (const Interface by : interfaces) {
    T c(0);
    Call<T> x{.transa = transa, .transb = transb, .m = 1, .n = 1, .k = 1, .a = &a, .b = &b};
    x.c = &c;
    INFO("interface " << static_cast<int>(by) << ' ' << transa << transb);
    call(by, x);
    CHECK(c == expected);
    x.layout = by_rows;
    call(by, x);
    CHECK(c == expected);
  }
}

TEMPLATE_TEST_CASE("operation R reads conjugates", "[blas]", complex<float>, complex<double>) {
  check_conjugates('N', 'N', TestType(-5, 10));
  check_conjugates('R', 'N', TestType(11, -2));
  check_conjugates('n', 'r', TestType(11, 2));
  check_conjugates('R', 'C', TestType(-5, -10));
}

TEMPLATE_TEST_CASE("operation R does not transpose", "[blas]", float, double, complex<float>,
                   complex<double>) {
  const std::vector<TestType> a{TestType(1), TestType(2), TestType(3), TestType(4)},
      b{TestType(5), TestType(6)};
  for (const Interface by : interfaces) {
    std::vector<TestType> c(2);
    Call<TestType> x{.transa = 'R', .m = 2, .n = 1, .k = 2, .a = a.data(), .lda = 2, .b = b.data(), .ldb = 2};
    x.c = c.data(), x.ldc = 2;
    call(by, x);
    CHECK(c == std::vector<TestType>{TestType(23), TestType(34)});  // 1·5 + 3·6, 2·5 + 4·6
  }
}

/// Checks A·B of matrices (2,2) through functions with other names.
template <class T>
void check_names(const auto&... gemms) {
  const std::vector<T> a{T(1), T(2), T(3), T(4)}, b{T(5), T(6), T(7), T(8)};
  const auto check_one = [&](auto* gemm) {
    std::vector<T> c(4);
    Call<T> x{.m = 2, .n = 2, .k = 2, .a = a.data(), .lda = 2, .b = b.data(), .ldb = 2};
    x.c = c.data(), x.ldc = 2;
    call(gemm, x);
    CHECK(c == std::vector<T>{T(23), T(34), T(31), T(46)});
  };
  (check_one(&gemms), ...);
}

TEST_CASE("the names of OpenBLAS' libraries compute products of their type", "[blas]") {
  check_names<float>(scipy_sgemm_, scipy_sgemm_64_, scipy_cblas_sgemm, scipy_cblas_sgemm64_, cblas_sgemm64_);
  check_names<double>(scipy_dgemm_, scipy_dgemm_64_, scipy_cblas_dgemm, scipy_cblas_dgemm64_, cblas_dgemm64_);
  check_names<complex<float>>(scipy_cgemm_, scipy_cgemm_64_, scipy_cblas_cgemm, scipy_cblas_cgemm64_,
                              cblas_cgemm64_);
  check_names<complex<double>>(scipy_zgemm_, scipy_zgemm_64_, scipy_cblas_zgemm, scipy_cblas_zgemm64_,
                               cblas_zgemm64_);
}

TEMPLATE_TEST_CASE("A and B are not read where nothing is multiplied", "[blas]", float, double,
                   complex<float>, complex<double>) {
  for (const Interface by : interfaces) {
    std::vector<TestType> c(12, TestType(2));
    Call<TestType> x{
        .m = 3, .n = 4, .k = 5, .alpha = TestType(0), .lda = 3, .ldb = 5, .c = c.data(), .ldc = 3};
    x.beta = TestType(1);
    call(by, x);
    CHECK(c == std::vector<TestType>(12, TestType(2)));
    x.beta = TestType(3);
    call(by, x);
    CHECK(c == std::vector<TestType>(12, TestType(6)));
    x.alpha = TestType(1), x.k = 0, x.ldb = 1;
    call(by, x);
    CHECK(c == std::vector<TestType>(12, TestType(18)));
    c.assign(12, std::numeric_limits<TestType>::quiet_NaN());
    x.alpha = TestType(std::numeric_limits<Real<TestType>>::infinity()), x.beta = TestType(0);
    call(by, x);
    CHECK(c == std::vector<TestType>(12, TestType(0)));
    // C is not read, either, if it has no elements.
    x.m = 0, x.c = nullptr, x.k = 5, x.ldb = 5;
    call(by, x);
    x.m = 3, x.n = 0;
    call(by, x);
  }
}

}  // namespace
}  // namespace rooftile::testing

namespace {

/// The arguments of xerbla since the last check.
std::string reported;

}  // namespace

extern "C" {

int RowMajorStrg = 0;  // read by Netlib's cblas_xerbla

void xerbla_(const char* routine, const std::int32_t* argument, std::size_t length) {
  reported += "xerbla_(" + std::string(routine, length) + ", " + std::to_string(*argument) + ")";
}
void xerbla_64_(const char* routine, const std::int64_t* argument, std::size_t length) {
  reported += "xerbla_64_(" + std::string(routine, length) + ", " + std::to_string(*argument) + ")";
}
void cblas_xerbla(int argument, const char* routine, const char* format, ...) {
  char text[100];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  reported += "cblas_xerbla(" + std::to_string(argument) + ", " + routine + ", " + text + ")" +
              (RowMajorStrg != 0 ? " by rows" : "");
}
void cblas_xerbla_64(std::int64_t argument, const char* routine, const char*, ...) {
  reported += "cblas_xerbla_64(" + std::to_string(argument) + ", " + routine + ")" +
              (RowMajorStrg != 0 ? " by rows" : "");
}
}

namespace rooftile::testing {
namespace {

/// The report of a product (2,3,4) in which one argument is changed and the others are right.
template <class T, class Change>
std::string report_of(Interface by, const Change& change, int layout = by_columns) {
  std::vector<T> a(12, T(1)), b(12, T(1)), c(12, T(7));
  Call<T> x{layout, 'N', 'N', 2, 3, 4, T(1), a.data(), 4, b.data(), 4, T(1), c.data(), 3};
  change(x);
  reported.clear();
  call(by, x);
  CHECK(c == std::vector<T>(12, T(7)));
  CHECK(RowMajorStrg == 0);
  return reported;
}

/// For each argument of Fortran's gemm that can be wrong: its number, and a wrong value.
template <class T, class Check>
void for_each_fault(const Check& check) {
  check(1, [](Call<T>& x) { x.transa = 'X'; });
  check(2, [](Call<T>& x) { x.transb = ' '; });
  check(3, [](Call<T>& x) { x.m = -1; });
  check(4, [](Call<T>& x) { x.n = -1; });
  check(5, [](Call<T>& x) { x.k = -1; });
  check(8, [](Call<T>& x) { x.lda = 1; });
  check(8, [](Call<T>& x) { x.transa = 't', x.lda = 3; });
  check(8, [](Call<T>& x) { x.transa = 'R', x.lda = 1; });
  check(8, [](Call<T>& x) { x.m = 0, x.lda = 0; });
  check(10, [](Call<T>& x) { x.ldb = 3; });
  check(10, [](Call<T>& x) { x.transb = 'c', x.ldb = 2; });
  check(13, [](Call<T>& x) { x.ldc = 1; });
  // The first of several wrong arguments is reported, even if nothing would be computed.
  check(3, [](Call<T>& x) { x.m = -1, x.n = 0, x.lda = 0; });
  check(5, [](Call<T>& x) { x.m = 0, x.k = -1; });
  check(10, [](Call<T>& x) { x.ldb = x.ldc = 0; });
}

template <class T>
void check_fortran(const std::string& name) {
  for_each_fault<T>([&](int number, const auto& change) {
    const std::string arguments = "(" + name + ", " + std::to_string(number) + ")";
    CHECK(report_of<T>(Interface::fortran, change) == "xerbla_" + arguments);
    CHECK(report_of<T>(Interface::fortran_64, change) == "xerbla_64_" + arguments);
  });
}

template <class T>
void check_cblas(const std::string& name) {
  for_each_fault<T>([&](int number, const auto& change) {
    if (number <= 2) return;  // CBLAS has its own constants for operations
    const std::string argument = std::to_string(number + 1);
    CHECK(report_of<T>(Interface::cblas, change) == "cblas_xerbla(" + argument + ", " + name + ", )");
    CHECK(report_of<T>(Interface::cblas_64, change) == "cblas_xerbla_64(" + argument + ", " + name + ")");
  });
  const auto by_rows_of = [](const auto& change) { return report_of<T>(Interface::cblas, change, by_rows); };
  const auto reported_as = [&](int number) {  // Netlib's cblas_xerbla undoes the swap of A and B
    return "cblas_xerbla(" + std::to_string(number) + ", " + name + ", ) by rows";
  };
  CHECK(by_rows_of([](Call<T>& x) { x.m = -1; }) == reported_as(5));
  CHECK(by_rows_of([](Call<T>& x) { x.n = -1; }) == reported_as(4));
  CHECK(by_rows_of([](Call<T>& x) { x.k = -1; }) == reported_as(6));
  CHECK(by_rows_of([](Call<T>& x) { x.lda = 3; }) == reported_as(11));
  CHECK(by_rows_of([](Call<T>& x) { x.ldb = 2; }) == reported_as(9));
  CHECK(by_rows_of([](Call<T>& x) { x.ldc = 2; }) == reported_as(14));
  CHECK(report_of<T>(Interface::cblas, [](Call<T>& x) { x.layout = 7; }) ==
        "cblas_xerbla(1, " + name + ", Illegal layout setting, 7\n)");
}

TEST_CASE("xerbla_ gets the number of the first wrong argument, cblas_xerbla Netlib's number", "[blas]") {
  const auto check_both = []<class T>(std::type_identity<T>, const std::string& upper,
                                      const std::string& lower) {
    check_fortran<T>(upper);
    check_cblas<T>("cblas_" + lower);
  };
  check_both(std::type_identity<float>(), "SGEMM ", "sgemm");
  check_both(std::type_identity<double>(), "DGEMM ", "dgemm");
  check_both(std::type_identity<complex<float>>(), "CGEMM ", "cgemm");
  check_both(std::type_identity<complex<double>>(), "ZGEMM ", "zgemm");
}

TEST_CASE("cblas_xerbla gets the number of an unknown operation", "[blas]") {
  const double x[16] = {};
  double c[16] = {};
  const auto report = [&](int layout, int transa, int transb) {
    reported.clear();
    cblas_dgemm(layout, transa, transb, 2, 2, 2, 1, x, 2, x, 2, 0, c, 2);
    return reported;
  };
  const std::string a = "cblas_xerbla(2, cblas_dgemm, Illegal TransA setting, 110\n)",
                    b = "cblas_xerbla(3, cblas_dgemm, Illegal TransB setting, 115\n)";
  for (const int layout : {by_columns, by_rows}) {
    const std::string rows = layout == by_rows ? " by rows" : "";
    CHECK(report(layout, 110, 111) == a + rows);
    CHECK(report(layout, 111, 115) == b + rows);
    CHECK(report(layout, 110, 115) == a + rows);
  }
  CHECK(report(by_rows, 111, 113).empty());
  CHECK(report(by_columns, 114, 114).empty());
}

}  // namespace

}  // namespace rooftile::testing
