// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What every entry of the library does with its arguments; distinct.cpp and overlap.cpp test what C may
// share.
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch_template_test_macros.hpp>

#include "rooftile/detail/batch.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using testing::overlap_with;
using testing::refused;

constexpr Index most = std::numeric_limits<Index>::max();

/// One product is the batch of one.
template <class T>
GemmArgs<T> prepared(const GemmArgs<T>& args) {
  const BatchArgs<T> ready = detail::prepared(BatchArgs<T>{args, {}});
  CHECK(ready.batch == Batch{});
  return ready.first;
}

/// Memory that is never touched: three matrices of it, row-major and apart.
template <class T>
struct Fixture {
  T memory[300] = {};

  GemmArgs<T> args(Index m, Index n, Index k) {
    return {1, row_major<const T>(memory, m, k), row_major<const T>(memory + 100, k, n), 1,
            row_major(memory + 200, m, n)};
  }
};

template <class T>
std::string refused_for(const GemmArgs<T>& args) {
  return refused([&] { prepared(args); });
}

bool same(const auto& X, const auto& Y) {
  return X.data == Y.data && X.rows == Y.rows && X.cols == Y.cols && X.row_stride == Y.row_stride &&
         X.col_stride == Y.col_stride;
}

TEMPLATE_TEST_CASE("a sound product passes as it is", "[check]", float, double) {
  Fixture<TestType> fixture;
  auto args = fixture.args(3, 4, 5);
  args.alpha = 2, args.beta = 3;
  const auto ready = prepared(args);
  CHECK((ready.alpha == 2 && ready.beta == 3));
  CHECK(same(ready.A, args.A));
  CHECK(same(ready.B, args.B));
  CHECK(same(ready.C, args.C));
}

TEST_CASE("sizes that are asked about are 0 or more, each of them", "[check]") {
  CHECK(refused([] { detail::check_sizes({0, 0, 0}, 0); }) == "");
  for (const GemmShape& shape : {GemmShape{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}) {
    CHECK(refused([&] { detail::check_sizes(shape, 1); }).starts_with("negative size (m "));
  }
  CHECK(refused([] {
          detail::check_sizes({1, 1, 1}, -1);
        }) == "negative number of products (-1): give 0 or more");
}

TEST_CASE("operands that are asked about have no more elements than addresses, each of them", "[check]") {
  const Index many = Index{1} << 32;
  const auto refusal_of = [](const GemmShape& shape, Index count = 1) {
    return refused([&] { detail::check_row_major<float>(shape, count); });
  };
  CHECK(refusal_of({many, 4, 0}) == "");
  CHECK(refusal_of({many, 0, many}).find(" A ") != std::string::npos);
  CHECK(refusal_of({0, many, many}).find(" B ") != std::string::npos);
  CHECK(refusal_of({many, many, 0}).find(" C ") != std::string::npos);
  CHECK(refusal_of({many, 4, 0}, many).find(" C ") != std::string::npos);
  CHECK(refusal_of({many, many, many}, 0) == "");
}

TEMPLATE_TEST_CASE("shapes that do not conform are refused", "[check]", float, double) {
  Fixture<TestType> fixture;
  auto args = fixture.args(2, 5, 3);
  SECTION("k") {
    args.B.rows = 4;
    CHECK(refused_for(args) ==
          "shapes do not conform (A 2 x 3, B 4 x 5, C 2 x 5): C (m,n) needs A (m,k) and B (k,n)");
  }
  SECTION("m") {
    args.A.rows = 1;
    CHECK(refused_for(args) ==
          "shapes do not conform (A 1 x 3, B 3 x 5, C 2 x 5): C (m,n) needs A (m,k) and B (k,n)");
  }
  SECTION("n") {
    args.C.cols = 6;
    CHECK(refused_for(args) ==
          "shapes do not conform (A 2 x 3, B 3 x 5, C 2 x 6): C (m,n) needs A (m,k) and B (k,n)");
  }
  SECTION("also where nothing would be read or written") {
    args.alpha = 0;
    args.B.rows = 4;
    CHECK(refused_for(args) ==
          "shapes do not conform (A 2 x 3, B 4 x 5, C 2 x 5): C (m,n) needs A (m,k) and B (k,n)");
    args = fixture.args(0, 5, 3);
    args.C.cols = 4;
    CHECK(refused_for(args) ==
          "shapes do not conform (A 0 x 3, B 3 x 5, C 0 x 4): C (m,n) needs A (m,k) and B (k,n)");
  }
}

TEMPLATE_TEST_CASE("negative sizes are refused", "[check]", float, double) {
  Fixture<TestType> fixture;
  CHECK(refused_for(fixture.args(-1, 4, 3)) == "negative size of A (-1 x 3): give extents of 0 or more");
  CHECK(refused_for(fixture.args(2, -4, 3)) == "negative size of B (3 x -4): give extents of 0 or more");
  CHECK(refused_for(fixture.args(2, 4, -3)) == "negative size of A (2 x -3): give extents of 0 or more");
  // No size is excused by another that is 0, nor by an alpha of 0.
  CHECK(refused_for(fixture.args(0, -4, 3)) != "");
  CHECK(refused_for(fixture.args(0, 0, -3)) != "");
  auto args = fixture.args(2, 4, -3);
  args.alpha = 0;
  CHECK(refused_for(args) == "negative size of A (2 x -3): give extents of 0 or more");
}

TEMPLATE_TEST_CASE("null data is refused where it would be read or written", "[check]", float, double) {
  Fixture<TestType> fixture;
  auto args = fixture.args(2, 4, 3);
  SECTION("A") {
    args.A.data = nullptr;
    CHECK(refused_for(args) == "null data of A (2 x 3): allocate the matrix first");
  }
  SECTION("B") {
    args.B.data = nullptr;
    CHECK(refused_for(args) == "null data of B (3 x 4): allocate the matrix first");
  }
  SECTION("C") {
    args.C.data = nullptr;
    CHECK(refused_for(args) == "null data of C (2 x 4): allocate the matrix first");
    args.alpha = 0;
    CHECK(refused_for(args) == "null data of C (2 x 4): allocate the matrix first");
  }
  SECTION("an alpha that is NaN or tiny reads A and B") {
    args.A.data = nullptr;
    args.alpha = std::numeric_limits<TestType>::quiet_NaN();
    CHECK(refused_for(args) != "");
    args.alpha = std::numeric_limits<TestType>::denorm_min();
    CHECK(refused_for(args) != "");
  }
}

TEMPLATE_TEST_CASE("alpha of 0 reads neither A nor B", "[check]", float, double) {
  Fixture<TestType> fixture;
  for (const TestType zero : {TestType(0), TestType(-0.0)}) {
    auto args = fixture.args(2, 4, 3);
    args.A.data = args.B.data = nullptr;
    args.alpha = zero;
    const auto ready = prepared(args);
    CHECK(ready.shape() == GemmShape{2, 4, 0});
    CHECK((ready.A.rows == 2 && ready.B.cols == 4));
    CHECK(ready.B.rows == 0);
    CHECK(same(ready.C, args.C));
  }
}

TEMPLATE_TEST_CASE("alpha of 0 allows A and B in C", "[check]", float, double) {
  Fixture<TestType> fixture;
  auto args = fixture.args(4, 4, 4);
  args.A.data = args.B.data = args.C.data;
  CHECK(refused_for(args) != "");
  args.alpha = 0;
  CHECK(refused_for(args) == "");
}

TEMPLATE_TEST_CASE("K = 0 needs no A and no B, and any alpha scales C alike", "[check]", float, double) {
  Fixture<TestType> fixture;
  auto args = fixture.args(2, 4, 0);
  args.A.data = args.B.data = nullptr;
  args.alpha = std::numeric_limits<TestType>::infinity();
  const auto ready = prepared(args);
  CHECK(ready.shape() == GemmShape{2, 4, 0});
  // A kernel multiplies alpha by its empty sum, which must not give NaN.
  CHECK(ready.alpha * TestType(0) == 0);
  CHECK(ready.beta == args.beta);
}

TEMPLATE_TEST_CASE("an empty C is no error, whatever it is", "[check]", float, double) {
  Fixture<TestType> fixture;
  for (const GemmShape shape : {GemmShape{0, 4, 3}, {4, 0, 3}, {0, 0, 0}, {0, 0, 3}}) {
    auto args = fixture.args(shape.m, shape.n, shape.k);
    args.C.data = nullptr;
    args.C.row_stride = args.C.col_stride = 0;
    const auto ready = prepared(args);
    CHECK(detail::is_empty(ready.C));
    CHECK(ready.shape() == shape);
  }
}

TEMPLATE_TEST_CASE("sizes whose offsets overflow are refused", "[check]", float, double) {
  Fixture<TestType> fixture;
  auto args = fixture.args(3, 4, 2);
  SECTION("extent times stride, in elements") {
    args.A.row_stride = Index{1} << 62;
    CHECK(refused_for(args) ==
          "extent times stride overflows for A (3 x 4611686018427387904): check the sizes and leading "
          "dimensions");
    args.A.row_stride = -args.A.row_stride;
    CHECK(refused_for(args) ==
          "extent times stride overflows for A (3 x -4611686018427387904): check the sizes and leading "
          "dimensions");
  }
  SECTION("in bytes") {
    args.B.col_stride = most / 3 / static_cast<Index>(sizeof(TestType)) + 1;
    CHECK(refused_for(args) == "extent times stride overflows for B (4 x " +
                                   std::to_string(args.B.col_stride) +
                                   "): check the sizes and leading dimensions");
  }
  SECTION("of the strides at their ends") {
    for (const Index stride : {most, -most, std::numeric_limits<Index>::min()}) {
      args.C.row_stride = stride;
      CHECK(refused_for(args) == "extent times stride overflows for C (3 x " + std::to_string(stride) +
                                     "): check the sizes and leading dimensions");
    }
  }
  SECTION("rows and columns only together") {
    // Each reaches less than half of the address space, both together more.
    const Index reach = most / 2 / static_cast<Index>(sizeof(TestType));
    for (const int sign : {1, -1}) {
      args.C = {fixture.memory, 3, 4, sign * (reach / 2 - 8), sign * (reach / 3 - 8)};
      CHECK(refused_for(args) == "extent times stride overflows for C (4 x " +
                                     std::to_string(args.C.col_stride) +
                                     "): check the sizes and leading dimensions");
    }
  }
  SECTION("negative and positive ones do not add up") {
    const Index reach = most / 2 / static_cast<Index>(sizeof(TestType));
    args.A = {fixture.memory, 3, 2, reach / 2 - 8, -(reach - 8)};
    CHECK(refused([&] { detail::check_memory("A", args.A); }) == "");
  }
}

TEMPLATE_TEST_CASE("an extent of 1 makes its stride irrelevant", "[check]", float, double) {
  Fixture<TestType> fixture;
  for (const Index stride : {Index{0}, Index{1}, most, -most, std::numeric_limits<Index>::min()}) {
    auto args = fixture.args(1, 4, 3);
    args.A.row_stride = args.C.row_stride = stride;
    CHECK(refused_for(args) == "");
    args = fixture.args(4, 1, 3);
    args.B.col_stride = args.C.col_stride = stride;
    CHECK(refused_for(args) == "");
  }
}

TEMPLATE_TEST_CASE("aliasing is refused in C only", "[check]", float, double) {
  Fixture<TestType> fixture;
  auto args = fixture.args(4, 4, 4);
  SECTION("A with B") {
    args.B.data = args.A.data;
    CHECK(refused_for(args) == "");
  }
  SECTION("A with C") {
    args.A.data = args.C.data + 15;
    CHECK(refused_for(args) == overlap_with("A", args.A, args.C));
    args.A.data = args.C.data + 16;
    CHECK(refused_for(args) == "");
  }
  SECTION("B with C") {
    args.B.data = args.C.data;
    CHECK(refused_for(args) == overlap_with("B", args.B, args.C));
  }
  SECTION("C with itself") {
    args.C.row_stride = 3;
    CHECK(refused_for(args) ==
          "elements of C overlap (4 x 4, strides 3 and 1): give a leading dimension of "
          "at least a row or column");
  }
}

TEMPLATE_TEST_CASE("C's rows end up further apart than its columns", "[check]", float, double) {
  Fixture<TestType> fixture;
  for (const int sign : {1, -1}) {
    auto args = fixture.args(3, 4, 5);
    args.C = {fixture.memory + 250, 3, 4, sign * 1, sign * 3};
    const auto ready = prepared(args);
    CHECK(same(ready.C, args.C.transposed()));
    CHECK(same(ready.A, args.B.transposed()));
    CHECK(same(ready.B, args.A.transposed()));
    args.C = {fixture.memory + 250, 3, 4, sign * 4, -sign * 1};
    CHECK(same(prepared(args).C, args.C));
    CHECK(same(prepared(args).A, args.A));
  }
}

/// Memory of small integers, a pattern of its own for each seed.
std::vector<double> integers(std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<double> memory(80);
  for (double& x : memory) x = std::uniform_int_distribution<int>(-4, 4)(bits);
  return memory;
}

TEST_CASE("a prepared product is the same product", "[check]") {
  const auto a = integers(1), b = integers(2), before = integers(3);
  const auto layout = [](bool rows, auto* data, Index m, Index n) {
    return rows ? row_major(data, m, n, n + 2) : column_major(data, m, n, m + 1);
  };
  for (int letters = 0; letters < 8; ++letters) {
    INFO("layout " << letters);
    auto by_definition = before, by_prepared = before;
    GemmArgs<double> args{2, layout(letters & 1, a.data(), 3, 5), layout(letters & 2, b.data(), 5, 4), -1,
                          layout(letters & 4, by_definition.data(), 3, 4)};
    testing::multiply(args);
    args.C.data = by_prepared.data();
    testing::multiply(prepared(args));
    CHECK(by_prepared == by_definition);
    CHECK(by_prepared != before);
  }
}

}  // namespace
}  // namespace rooftile
