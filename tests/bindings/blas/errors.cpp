// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Wrong arguments: which number the program's own xerbla is called with, and that C is untouched.
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/bindings/blas/blas.hpp"

namespace {

/// What xerbla was called with since it was last asked.
std::string reported;

}  // namespace

extern "C" {

int RowMajorStrg = 0;  // Netlib's, which its cblas_xerbla asks

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

/// What is reported of a call with one argument changed, of a product (2,3,4) that is right otherwise.
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

/// Each argument of Fortran's gemm that can be wrong, its number, and the least value that is right.
template <class T, class Check>
void for_each_fault(const Check& check) {
  check(1, [](Call<T>& x) { x.transa = 'X'; });
  check(2, [](Call<T>& x) { x.transb = ' '; });
  check(3, [](Call<T>& x) { x.m = -1; });
  check(4, [](Call<T>& x) { x.n = -1; });
  check(5, [](Call<T>& x) { x.k = -1; });
  check(8, [](Call<T>& x) { x.lda = 1; });
  check(8, [](Call<T>& x) { x.transa = 't', x.lda = 3; });
  check(8, [](Call<T>& x) { x.m = 0, x.lda = 0; });
  check(10, [](Call<T>& x) { x.ldb = 3; });
  check(10, [](Call<T>& x) { x.transb = 'c', x.ldb = 2; });
  check(13, [](Call<T>& x) { x.ldc = 1; });
  // The first of several counts, also where nothing would be computed.
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

TEST_CASE("xerbla_ gets the number of the first wrong argument", "[blas]") {
  check_fortran<float>("SGEMM ");
  check_fortran<double>("DGEMM ");
  check_fortran<complex<float>>("CGEMM ");
  check_fortran<complex<double>>("ZGEMM ");
}

template <class T>
void check_cblas(const std::string& name) {
  for_each_fault<T>([&](int number, const auto& change) {
    if (number <= 2) return;  // operations are numbers of their own here
    const std::string argument = std::to_string(number + 1);
    CHECK(report_of<T>(Interface::cblas, change) == "cblas_xerbla(" + argument + ", " + name + ", )");
    CHECK(report_of<T>(Interface::cblas_64, change) == "cblas_xerbla_64(" + argument + ", " + name + ")");
  });
  const auto by_rows_of = [](const auto& change) { return report_of<T>(Interface::cblas, change, by_rows); };
  const auto reported_as = [&](int number) {  // which Netlib's cblas_xerbla takes back to the caller's
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

TEST_CASE("cblas_xerbla gets Netlib's number", "[blas]") {
  check_cblas<float>("cblas_sgemm");
  check_cblas<double>("cblas_dgemm");
  check_cblas<complex<float>>("cblas_cgemm");
  check_cblas<complex<double>>("cblas_zgemm");
}

TEST_CASE("cblas_xerbla gets an operation that there is not", "[blas]") {
  const double x[16] = {};
  double c[16] = {};
  const auto report = [&](int layout, int transa, int transb) {
    reported.clear();
    cblas_dgemm(layout, transa, transb, 2, 2, 2, 1, x, 2, x, 2, 0, c, 2);
    return reported;
  };
  CHECK(report(by_columns, 110, 111) == "cblas_xerbla(2, cblas_dgemm, Illegal TransA setting, 110\n)");
  CHECK(report(by_columns, 111, 114) == "cblas_xerbla(3, cblas_dgemm, Illegal TransB setting, 114\n)");
  CHECK(report(by_rows, 110, 111) == "cblas_xerbla(2, cblas_dgemm, Illegal TransA setting, 110\n) by rows");
  CHECK(report(by_rows, 111, 114) == "cblas_xerbla(3, cblas_dgemm, Illegal TransB setting, 114\n) by rows");
  CHECK(report(by_rows, 110, 114) == "cblas_xerbla(2, cblas_dgemm, Illegal TransA setting, 110\n) by rows");
  CHECK(report(by_rows, 111, 113).empty());
}

}  // namespace
}  // namespace rooftile::testing
