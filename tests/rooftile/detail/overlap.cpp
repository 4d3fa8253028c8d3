// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/detail/check.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using testing::seed;
using Matrix = MatrixRef<const double>;
using Random = std::mt19937_64;

/// A parent of 40 × 50 elements, of which overlap() looks at addresses only.
double parent[40 * 50];
constexpr Index ld = 50;

Matrix part(Index row, Index col, Index rows, Index cols) {
  return {parent + row * ld + col, rows, cols, ld, 1};
}

bool overlap(const Matrix& X, const Matrix& Y) {
  const bool found = detail::overlap(X, Y);
  CHECK(found == detail::overlap(Y, X));
  return found;
}

/// Element by element.
bool share_elements(const Matrix& X, const Matrix& Y) {
  std::set<const double*> of_x;
  for (Index i = 0; i < X.rows; ++i) {
    for (Index j = 0; j < X.cols; ++j) of_x.insert(&X(i, j));
  }
  for (Index i = 0; i < Y.rows; ++i) {
    for (Index j = 0; j < Y.cols; ++j) {
      if (of_x.contains(&Y(i, j))) return true;
    }
  }
  return false;
}

Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

using Pair = std::pair<Matrix, Matrix>;

/// Two sub-matrices of one small parent, itself strided now and then, each as it is or transposed.
Pair parts_of_one_parent(Random& random) {
  const Index rows = pick(random, 1, 7), cols = pick(random, 1, 7), step = pick(random, 1, 3);
  const Index stride = (cols + pick(random, 0, 2)) * step + pick(random, 0, step - 1);
  const auto cut = [&] {
    const Index i = pick(random, 0, rows - 1), j = pick(random, 0, cols - 1);
    const Matrix X{parent + i * stride + j * step, pick(random, 1, rows - i), pick(random, 1, cols - j),
                   stride, step};
    return pick(random, 0, 1) == 0 ? X : X.transposed();
  };
  const Matrix X = cut();
  return {X, cut()};
}

/// Two matrices with nothing in common but their neighbourhood; empty ones among them.
Pair any_matrices(Random& random) {
  const auto any = [&] {
    return Matrix{parent + 1000 + pick(random, -30, 30), pick(random, 0, 5), pick(random, 0, 5),
                  pick(random, -9, 9), pick(random, -9, 9)};
  };
  const Matrix X = any();
  return {X, any()};
}

/// How often an overlap test misses a shared element, and how often it invents one.
struct Disagreements {
  int missed = 0;
  int invented = 0;
};
template <class Overlap>
Disagreements disagreements(Pair (*make)(Random&), const Overlap& says_overlap) {
  Random random(seed);
  Disagreements found;
  for (int trial = 0; trial < 30000; ++trial) {
    const auto [X, Y] = make(random);
    const bool shared = share_elements(X, Y), said = says_overlap(X, Y);
    if (shared != said && found.missed + found.invented < 3) {
      UNSCOPED_INFO("seed " << seed << ", trial " << trial << ": " << X << " and " << Y);
    }
    found.missed += shared && !said;
    found.invented += said && !shared;
  }
  return found;
}

constexpr auto library = [](const Matrix& X, const Matrix& Y) { return detail::overlap(X, Y); };

TEST_CASE("a matrix overlaps itself and its transpose", "[overlap]") {
  const Matrix X = part(3, 4, 5, 6);
  CHECK(overlap(X, X));
  CHECK(overlap(X, X.transposed()));
  CHECK(overlap(X, part(7, 9, 1, 1)));  // its last element
  CHECK_FALSE(overlap(X, part(8, 4, 1, 6)));
}

TEST_CASE("parts side by side do not overlap", "[overlap]") {
  const Matrix left = part(0, 0, 10, 20);
  CHECK_FALSE(overlap(left, part(0, 20, 10, 30)));
  CHECK_FALSE(overlap(left, part(0, 20, 10, 20).transposed()));
  CHECK_FALSE(overlap(left.transposed(), part(0, 20, 10, 20).transposed()));
  CHECK(overlap(left, part(0, 19, 10, 30)));
  CHECK(overlap(left, part(9, 19, 10, 30).transposed()));
}

TEST_CASE("parts above each other do not overlap", "[overlap]") {
  const Matrix upper = part(0, 0, 10, 20);
  CHECK_FALSE(overlap(upper, part(10, 0, 10, 20)));
  CHECK(overlap(upper, part(9, 0, 10, 20)));
}

TEST_CASE("parts at the other diagonal do not overlap", "[overlap]") {
  // The first row of the right one ends behind the beginning of the left one's second.
  CHECK_FALSE(overlap(part(1, 0, 4, 20), part(0, 20, 4, 30)));
  CHECK_FALSE(overlap(part(0, 40, 5, 10), part(1, 0, 5, 40)));
  CHECK(overlap(part(0, 40, 5, 10), part(1, 0, 5, 41)));
}

TEST_CASE("interleaved rows do not overlap", "[overlap]") {
  const Matrix even{parent, 5, ld, 2 * ld, 1}, odd{parent + ld, 5, ld, 2 * ld, 1};
  CHECK_FALSE(overlap(even, odd));
  CHECK_FALSE(overlap(even, odd.transposed()));
  CHECK(overlap(even, Matrix{parent + 2 * ld, 2, ld, 2 * ld, 1}));
}

TEST_CASE("interleaved columns do not overlap", "[overlap]") {
  const Matrix even{parent, 5, 10, ld, 2}, odd{parent + 1, 5, 10, ld, 2};
  CHECK_FALSE(overlap(even, odd));
  CHECK(overlap(even, Matrix{parent + 18, 5, 2, ld, 2}));
}

TEST_CASE("column-major parts are told apart too", "[overlap]") {
  const Matrix X{parent, 10, 5, 1, ld};
  CHECK_FALSE(overlap(X, {parent + 10, 10, 5, 1, ld}));
  CHECK_FALSE(overlap(X, {parent + 5 * ld, 10, 5, 1, ld}));
  CHECK(overlap(X, {parent + 9, 10, 5, 1, ld}));
}

TEST_CASE("an empty matrix overlaps nothing", "[overlap]") {
  const Matrix X = part(3, 4, 5, 6);
  CHECK_FALSE(overlap(X, part(3, 4, 0, 6)));
  CHECK_FALSE(overlap(X, part(3, 4, 5, 0)));
  CHECK_FALSE(overlap(X, {nullptr, 0, 0, 0, 0}));
}

TEST_CASE("negative strides reach below the first element", "[overlap]") {
  const Matrix X = part(3, 4, 5, 6);
  const Matrix upside_down{parent + 7 * ld + 4, 5, 6, -ld, 1};
  CHECK(overlap(X, upside_down));
  CHECK_FALSE(overlap(X, {parent + 2 * ld + 9, 2, 6, -ld, -1}));  // all of it above X
  CHECK(overlap(X, {parent + 3 * ld + 4, 2, 2, -ld, -1}));        // X's first element is its first
}

TEST_CASE("offsets as large as they may be do not overflow", "[overlap]") {
  const Index reach = std::numeric_limits<Index>::max() / 2 / static_cast<Index>(sizeof(double));
  const Matrix long_one{parent + ld, 2, 2, reach - 1, 1}, before{parent, 2, 2, 4, 1};
  CHECK_FALSE(overlap(before, long_one));
  CHECK(overlap(long_one, part(0, 0, 40, 50)));
  const Matrix upwards{parent + ld, 2, 2, -reach, 1};
  CHECK(overlap(before, upwards));
  CHECK_FALSE(overlap(upwards, part(2, 0, 1, 1)));
}

TEST_CASE("a single row's stride means nothing", "[overlap]") {
  const Index most = std::numeric_limits<Index>::max();
  for (const Index stride : {Index{0}, most, -most}) {
    CHECK(overlap({parent + 1, 1, 5, stride, 1}, {parent, 1, 5, stride, 1}));
    CHECK_FALSE(overlap({parent + 5, 1, 5, stride, 1}, {parent, 1, 5, stride, 1}));
  }
}

TEST_CASE("memory that a whole element does not separate is shared", "[overlap]") {
  // Half an element on: no element of one is an element of the other, and yet they share bytes.
  const auto* half = reinterpret_cast<const double*>(reinterpret_cast<const char*>(parent) + 4);
  CHECK(overlap({parent, 1, 1, 1, 1}, {half, 1, 1, 1, 1}));
  CHECK(overlap(part(0, 0, 2, 3), {half + 2, 2, 3, ld, 1}));
  CHECK_FALSE(overlap({parent, 1, 1, 1, 1}, {half + 1, 1, 1, 1, 1}));
}

TEST_CASE("parts of one parent are told apart exactly", "[overlap]") {
  const Disagreements found = disagreements(parts_of_one_parent, library);
  CHECK(found.missed == 0);
  CHECK(found.invented == 0);
}

TEST_CASE("no shared element is missed, whatever the strides", "[overlap]") {
  CHECK(disagreements(any_matrices, library).missed == 0);
}

TEST_CASE("a wrong overlap test is found out", "[overlap]") {
  const auto range = [](const Matrix& X, const Matrix& Y) {
    const auto x = detail::offset_range("X", X), y = detail::offset_range("Y", Y);
    return X.data + x.low <= Y.data + y.high && Y.data + y.low <= X.data + x.high;
  };
  const auto never = [](const Matrix&, const Matrix&) { return false; };
  const auto starts_inside = [](const Matrix& X, const Matrix& Y) {
    return library(
        X, {Y.data, std::min<Index>(Y.rows, 1), std::min<Index>(Y.cols, 1), Y.row_stride, Y.col_stride});
  };
  CHECK(disagreements(parts_of_one_parent, range).invented > 0);
  CHECK(disagreements(parts_of_one_parent, never).missed > 0);
  CHECK(disagreements(parts_of_one_parent, starts_inside).missed > 0);
  CHECK(disagreements(any_matrices, never).missed > 0);
}

}  // namespace
}  // namespace rooftile
