// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "backends/openmp/parts.hpp"

#include <random>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using namespace portable;
using testing::seed;

/// By rows or by columns.
template <class T>
MatrixRef<T> matrix(bool by_rows, T* data, Index rows, Index cols) {
  return by_rows ? row_major(data, rows, cols) : column_major(data, rows, cols);
}

TEST_CASE("a complex product with few rows or columns leaves the large operand where it lies", "[plan]") {
  using Z = complex<double>;
  const TileShape blocks{56, 1024, 1024, 14, 16};
  const Z* const none = nullptr;
  const auto parts = [&](const GemmShape& shape, bool a_by_rows, bool b_by_rows) {
    const auto [m, n, k] = shape;
    return parts_of(small_first<double>({1, matrix(a_by_rows, none, m, k), matrix(b_by_rows, none, k, n), 0,
                                         row_major<Z>(nullptr, m, n)}),
                    blocks);
  };
  CHECK((parts({2, 1000, 1000}, true, true) == Parts::rows &&
         parts({2, 1000, 1000}, true, false) == Parts::columns));
  CHECK((parts({1000, 2, 1000}, true, true) == Parts::columns &&
         parts({1000, 2, 1000}, false, true) == Parts::rows));
  // By rows those that let B go by: of few rows, of a B beyond half of L2, which has 57,344 real numbers.
  CHECK(parts({3, 1000, 1000}, true, true) == Parts::none);
  CHECK((parts({2, 256, 112}, true, true) == Parts::none && parts({2, 256, 113}, true, true) == Parts::rows));
  // By columns those with vectors along K.
  CHECK((parts({3, 20, 64}, true, false) == Parts::columns &&
         parts({3, 20, 63}, true, false) == Parts::none &&
         parts({4, 1000, 1000}, true, false) == Parts::none));
  CHECK(parts({3, 3, 1'000'000}, true, false) == Parts::none);     // what is small here is large
  constexpr Index longest = small_operand / (4 * sizeof(double));  // of one row
  CHECK((parts({1, 20, longest}, true, false) == Parts::columns &&
         parts({1, 20, longest + 1}, true, false) == Parts::none));
  const GemmArgs<Z> strided{
      1, row_major(none, 1, 900), {none, 900, 700, 2100, 3}, 0, row_major<Z>(nullptr, 1, 700)};
  CHECK(parts_of(strided, blocks) == Parts::none);
}

TEST_CASE("columns that are taken at a time are equally many", "[plan]") {
  for (const Index n : {1, 5, 8191, 8192, 8193, 100'000}) {
    const Index columns = columns_at_a_time<double>(Parts::rows, {4, n, 100});
    CHECK((columns >= 1 && columns <= 8192 && columns * ((n + columns - 1) / columns) >= n));
  }
  CHECK(columns_at_a_time<double>(Parts::columns, {4, 16384, 1}) == 16384);
}

TEMPLATE_TEST_CASE("products of parts are those of complex numbers", "[packed]", float, double) {
  using R = TestType;
  using Z = complex<R>;
  std::mt19937_64 bits(seed);
  const auto filled = [&](Index count) {
    std::vector<Z> all(static_cast<std::size_t>(count));
    for (Z& z : all)
      z = detail::from_parts<Z>([&] { return static_cast<R>(static_cast<int>(bits() % 7) - 3); });
    return all;
  };
  for (const GemmShape& shape :
       {GemmShape{1, 1, 1}, {1, 7, 5}, {3, 20, 9}, {2, 150'000, 2}, {1, 300'001, 1}}) {
    const auto [m, n, k] = shape;
    const std::vector<Z> a = filled(m * k), b = filled(k * n), before = filled(m * n);
    for (int how = 0; how < 8; ++how) {
      const bool by_rows = (how & 1) != 0;
      GemmArgs<Z> args{{2, -1}, row_major(a.data(), m, k), matrix(by_rows, b.data(), k, n), {0, 3}, {}};
      if ((how & 2) != 0) args.A = args.A.conjugated();
      if ((how & 4) != 0) args.B = args.B.conjugated();
      std::vector<Z> c = before;
      args.C = row_major(c.data(), m, n);
      Index products = 0;
      multiply_parts(by_rows ? Parts::rows : Parts::columns, args, [&](const GemmArgs<R>& product) {
        testing::multiply(product);
        ++products;
      });
      CHECK((products > 1) == (n > 100'000));
      Index wrong = 0;
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < n; ++j) {
          Z sum = 0;
          for (Index l = 0; l < k; ++l) sum += args.A.value(i, l) * args.B.value(l, j);
          const Z expected = args.alpha * sum + args.beta * before[static_cast<std::size_t>(i * n + j)];
          wrong += args.C(i, j) == expected ? 0 : 1;
        }
      }
      INFO(to_string(shape) << " how " << how);
      CHECK(wrong == 0);
    }
  }
}

}  // namespace
}  // namespace rooftile
