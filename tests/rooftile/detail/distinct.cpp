// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/detail/check.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using testing::refused;
using testing::seed;

float memory[1];

MatrixRef<float> matrix(Index rows, Index cols, Index row_stride, Index col_stride) {
  return {memory, rows, cols, row_stride, col_stride};
}

bool is_refused(const MatrixRef<float>& C) {
  return !refused([&] { detail::check_distinct(C); }).empty();
}

/// Element by element.
bool has_shared_elements(const MatrixRef<float>& C) {
  std::set<Index> offsets;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) offsets.insert(i * C.row_stride + j * C.col_stride);
  }
  return static_cast<Index>(offsets.size()) < C.rows * C.cols;
}

/// How often a check accepts a C that shares elements, and how often it refuses one that does not.
struct Disagreements {
  int missed = 0;
  int invented = 0;
};
template <class Check>
Disagreements disagreements(const Check& refuses) {
  std::mt19937_64 bits(seed);
  std::uniform_int_distribution<Index> extent(1, 6), stride(-14, 14);
  Disagreements found;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto C = matrix(extent(bits), extent(bits), stride(bits), stride(bits));
    const bool shared = has_shared_elements(C), refused_it = refuses(C);
    if (shared != refused_it) UNSCOPED_INFO("seed " << seed << ", trial " << trial << ": " << C);
    found.missed += shared && !refused_it;
    found.invented += refused_it && !shared;
  }
  return found;
}

TEST_CASE("a C whose elements are apart is accepted", "[distinct]") {
  CHECK_FALSE(is_refused(matrix(3, 4, 4, 1)));
  CHECK_FALSE(is_refused(matrix(3, 4, 1, 3)));
  CHECK_FALSE(is_refused(matrix(3, 4, 9, 2)));
  CHECK_FALSE(is_refused(matrix(3, 4, -4, 1)));
  CHECK_FALSE(is_refused(matrix(3, 4, -1, -3)));
  CHECK_FALSE(is_refused(matrix(1, 1, 0, 0)));
  CHECK_FALSE(is_refused(matrix(1, 5, 0, 1)));
  CHECK_FALSE(is_refused(matrix(5, 1, 1, 1)));
}

TEST_CASE("a C whose elements coincide is refused", "[distinct]") {
  CHECK(is_refused(matrix(2, 2, 1, 1)));
  CHECK(is_refused(matrix(2, 2, 1, -1)));
  CHECK(is_refused(matrix(3, 4, 3, 1)));
  CHECK(is_refused(matrix(4, 3, 1, 3)));
  CHECK(is_refused(matrix(3, 4, 0, 1)));
  CHECK(is_refused(matrix(1, 2, 5, 0)));
  CHECK(is_refused(matrix(2, 1, 0, 5)));
  CHECK(is_refused(matrix(2, 2, 0, 0)));
  CHECK(refused([] { detail::check_distinct(matrix(3, 4, 3, 1)); }) ==
        "elements of C overlap (3 x 4, strides 3 and 1): give a leading dimension of at least a row or "
        "column");
}

TEST_CASE("strides that interleave rows and columns are accepted", "[distinct]") {
  CHECK_FALSE(is_refused(matrix(3, 2, 2, 3)));  // offsets 0 3 2 5 4 7
  CHECK(is_refused(matrix(4, 3, 2, 3)));        // offset 6 twice
}

TEST_CASE("sizes beyond 32 bits are told apart", "[distinct]") {
  const Index large = Index{1} << 40;
  CHECK_FALSE(is_refused(matrix(large, 4, 4, 1)));
  CHECK(is_refused(matrix(large, 4, 3, 1)));
  CHECK_FALSE(is_refused(matrix(3, large, 1, 3)));
}

TEST_CASE("random strides are told apart as element by element", "[distinct]") {
  const Disagreements found = disagreements(is_refused);
  CHECK(found.missed == 0);
  CHECK(found.invented == 0);
}

TEST_CASE("a wrong check of C's elements is found out", "[distinct]") {
  CHECK(disagreements([](const auto&) { return false; }).missed > 0);
  CHECK(disagreements([](const auto&) { return true; }).invented > 0);
  CHECK(disagreements([](const auto& C) { return C.row_stride == 0 || C.col_stride == 0; }).missed > 0);
  CHECK(disagreements([](const auto& C) {
          return std::abs(C.row_stride) < C.cols * std::abs(C.col_stride);
        }).invented > 0);
}

}  // namespace
}  // namespace rooftile
