// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// The operands of a shared product, of all processes of a grid one after the other: they make one product,
// and an element that is wrong is found by the one that holds it.
#include "perf/measure/shared_operands.hpp"

#include <memory>
#include <string>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace rooftile::perf {
namespace {

constexpr double all_rows = 1e9;  // multiply-adds of the references

/// The product of all elements, by its definition, on this process.
template <class T>
void multiply(const SharedArgs<T>& args, const Standing& standing, const SharedElements<T>& element,
              const GemmShape& shape, T beta) {
  Index i = 0;
  for (Index row = 0; row < shape.m; ++row) {
    if (row / standing.mb % standing.grid.rows != standing.row()) continue;
    Index j = 0;
    for (Index col = 0; col < shape.n; ++col) {
      if (col / standing.nb % standing.grid.cols != standing.col()) continue;
      T sum(0);
      for (Index l = 0; l < shape.k; ++l) sum += element(0, row, l) * element(1, l, col);
      T& c = args.C.local(i, j++);
      c = beta == T(0) ? args.alpha * sum : args.alpha * sum + args.beta * c;
    }
    CHECK(j == args.C.local.cols);
    ++i;
  }
  CHECK(i == args.C.local.rows);
}

TEMPLATE_TEST_CASE("processes find their parts of a product right, and each a wrong element", "", float,
                   double, complex<float>, complex<double>) {
  using T = TestType;
  const auto device = host_device();
  const distributed::Grid grid = GENERATE(distributed::Grid{1, 1}, distributed::Grid{2, 3});
  const T beta = GENERATE(T(0), T(Real<T>(-0.5)));
  const Values values = GENERATE(Values::integers, Values::uniform);
  const GemmShape shape{23, 301, 11};  // more columns than a reference has
  const std::uint64_t seed = 7;
  for (int rank = 0; rank < grid.size() + 1; ++rank) {
    const Standing standing{grid, rank, 4, 3};
    SharedOperands<T> operands(*device, standing, shape, T(Real<T>(1.5)), beta, seed);
    operands.fill(values, all_rows);
    operands.reset();
    const SharedArgs<T> args = operands.args();
    CHECK(operands.rows_checked(all_rows) == 23);
    if (!standing.in_grid()) {
      CHECK(args.C.local.rows * args.C.local.cols == 0);
      CHECK(operands.worst().passed());
      continue;
    }
    CHECK(!operands.worst().passed());  // nothing is computed yet
    multiply(args, standing, SharedElements<T>(seed, values, shape.k), shape, beta);
    CHECK(operands.worst().passed());
    const Index i = args.C.local.rows - 1, j = args.C.local.cols - 2;
    args.C.local(i, j) += T(Real<T>(0.01));
    const Verification found = operands.worst();
    CHECK(!found.passed());
    CHECK(found.row == (i / 4 * grid.rows + standing.row()) * 4 + i % 4);
    CHECK(found.col == (j / 3 * grid.cols + standing.col()) * 3 + j % 3);
  }
}

TEST_CASE("of a large shared product some rows are compared, on each row of the grid") {
  const auto device = host_device();
  const GemmShape shape{100, 10, 10};
  for (int rank = 0; rank < 4; ++rank) {
    const Standing standing{{2, 2}, rank, 5, 5};
    SharedOperands<double> operands(*device, standing, shape, 1, 0, 1);
    operands.fill(Values::uniform, 1000);  // of ten rows
    CHECK(operands.rows_checked(1000) == 10);
    operands.reset();
    CHECK(!operands.worst().passed());  // NaN
  }
}

TEST_CASE("shared elements are what they should be, and each its own") {
  const SharedElements<double> integers(1, Values::integers, 100), ones(1, Values::integers, 2000000),
      numbers(1, Values::uniform, 100);
  double sum = 0, least = 1, most = -1;
  for (Index i = 0; i < 100; ++i) {
    for (Index j = 0; j < 100; ++j) {
      const double whole = integers(0, i, j), x = numbers(0, i, j);
      CHECK((whole == std::trunc(whole) && std::abs(whole) >= 1 && std::abs(whole) <= 3));
      CHECK(std::abs(ones(0, i, j)) == 1);
      sum += x, least = std::min(least, x), most = std::max(most, x);
    }
  }
  CHECK(std::abs(sum) < 300);  // five standard deviations
  CHECK((least >= -1 && least < -0.99 && most < 1 && most > 0.99));
  CHECK(numbers(0, 1, 2) != numbers(0, 2, 1));
  CHECK(numbers(0, 1, 2) != numbers(1, 1, 2));
  CHECK(numbers(0, 1, 2) != SharedElements<double>(2, Values::uniform, 100)(0, 1, 2));
}

}  // namespace
}  // namespace rooftile::perf
