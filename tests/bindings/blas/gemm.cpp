// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Products by each interface of the BLAS, against the reference.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "rooftile/reference.hpp"
#include "tests/bindings/blas/blas.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

/// op(X) (rows,cols) of a matrix that lies by the call's layout.
template <class T>
MatrixRef<const T> operand(int layout, char trans, const T* x, Index rows, Index cols, Index ld) {
  const bool as_stored = trans == 'N' || trans == 'n';
  const Index r = as_stored ? rows : cols, c = as_stored ? cols : rows;
  const MatrixRef<const T> stored = layout == by_rows ? row_major(x, r, c, ld) : column_major(x, r, c, ld);
  return as_stored ? stored : cblas_operation(trans) == 113 ? stored.adjoint() : stored.transposed();
}

/// Elements of a matrix (rows,cols), what lies between them included.
Index elements_of(int layout, Index rows, Index cols, Index ld) {
  return ld * (layout == by_rows ? rows : cols);
}

/// Computes a product, whose operands it makes, and compares it and what lies between the elements of C.
/// @param gaps  that leading dimensions have
template <class T>
void check(Interface by, Call<T> x, Index gaps, std::uint64_t seed) {
  const auto leading = [&](char trans, Index rows, Index cols) {
    const bool by_first = (trans == 'N' || trans == 'n') == (x.layout == by_columns);
    return std::max<Index>(1, by_first ? rows : cols) + gaps;
  };
  x.lda = leading(x.transa, x.m, x.k), x.ldb = leading(x.transb, x.k, x.n), x.ldc = leading('N', x.m, x.n);
  const std::vector<T> a = random<T>(x.lda * std::max({x.m, x.k, Index{1}}), seed);
  const std::vector<T> b = random<T>(x.ldb * std::max({x.k, x.n, Index{1}}), seed + 1);
  std::vector<T> c = random<T>(elements_of(x.layout, x.m, x.n, x.ldc), seed + 2);
  const auto view = [&](auto* data) {
    return x.layout == by_rows ? row_major(data, x.m, x.n, x.ldc) : column_major(data, x.m, x.n, x.ldc);
  };
  if (x.beta == T(0)) {  // overwritten, whatever it was
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
    x.transa = one_of(std::string("NnTtCc")), x.transb = one_of(std::string("NnTtCc"));
    x.m = one_of(extents), x.n = one_of(extents), x.k = one_of(extents);
    x.alpha = one_of(scalars), x.beta = one_of(scalars);
    check(by, x, one_of(std::vector<Index>{0, 0, 1, 5}), seed);
  }
}

TEMPLATE_TEST_CASE("products that threads share are, too", "[blas]", float, double, complex<float>,
                   complex<double>) {
  const char* const operations[] = {"NN", "TC", "CT", "NC"};  // by interface
  for (std::size_t i = 0; i < std::size(interfaces); ++i) {
    Call<TestType> x{.transa = operations[i][0], .transb = operations[i][1]};
    x.alpha = TestType(-2), x.beta = TestType(3);
    for (const auto& [m, n, k] : {GemmShape{301, 250, 270}, {1500, 3, 700}, {4, 1200, 800}}) {
      x.m = m, x.n = n, x.k = k;
      check(interfaces[i], x, static_cast<Index>(i), i);
    }
  }
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
    // Nor C, where it has no elements.
    x.m = 0, x.c = nullptr, x.k = 5, x.ldb = 5;
    call(by, x);
    x.m = 3, x.n = 0;
    call(by, x);
  }
}

}  // namespace
}  // namespace rooftile::testing
