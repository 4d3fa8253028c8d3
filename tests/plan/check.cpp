// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Arguments of a product at every entry point: refusals, the fast check, and shared elements of C.
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include <catch2/catch_template_test_macros.hpp>

#include "plan/prepare.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using testing::overlap_with, testing::problem, testing::refused, testing::seed;
using Random = std::mt19937_64;

constexpr Index most = std::numeric_limits<Index>::max(), least = std::numeric_limits<Index>::min();

Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

/// A single product is a batch of one.
template <class T>
GemmArgs<T> prepared(const GemmArgs<T>& args) {
  const BatchArgs<T> ready = detail::prepared(BatchArgs<T>{args, {}});
  CHECK(ready.batch == Batch{});
  return ready.first;
}

/// Memory that is never accessed: three disjoint row-major matrices.
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

TEMPLATE_TEST_CASE("shapes that do not conform are refused, also where nothing would be read or written",
                   "[check]", float, double) {
  Fixture<TestType> fixture;
  for (const TestType alpha : {TestType(1), TestType(0)}) {
    const auto refusal = [&](GemmShape shape, const auto& change) {
      auto args = fixture.args(shape.m, shape.n, shape.k);
      args.alpha = alpha;
      change(args);
      return refused_for(args);
    };
    const std::string problem = "shapes do not conform (A ";
    CHECK(
        refusal({2, 5, 3}, [](auto& x) { x.B.rows = 4; }).starts_with(problem + "2 x 3, B 4 x 5, C 2 x 5)"));
    CHECK(
        refusal({2, 5, 3}, [](auto& x) { x.A.rows = 1; }).starts_with(problem + "1 x 3, B 3 x 5, C 2 x 5)"));
    CHECK(
        refusal({2, 5, 3}, [](auto& x) { x.C.cols = 6; }).starts_with(problem + "2 x 3, B 3 x 5, C 2 x 6)"));
    CHECK(
        refusal({0, 5, 3}, [](auto& x) { x.C.cols = 4; }).starts_with(problem + "0 x 3, B 3 x 5, C 0 x 4)"));
  }
}

TEMPLATE_TEST_CASE("a GPU reads elements at multiples of their size", "[check]", float, double, float16,
                   complex<float>, complex<double>, const float*) {
  alignas(16) unsigned char memory[64];
  const auto at = [&](std::size_t offset) { return reinterpret_cast<const TestType*>(memory + offset); };
  for (std::size_t offset = 0; offset <= 2 * sizeof(TestType); ++offset) {
    INFO(offset);
    const bool aligned = offset % sizeof(TestType) == 0;
    const std::string refusal = refused([&] { detail::check_aligned("B", at(offset)); });
    CHECK(detail::is_aligned(at(offset)) == aligned);
    CHECK(refusal.empty() == aligned);
    CHECK(
        (aligned || refusal.starts_with(detail::text("address of B not a multiple of ", sizeof(TestType)))));
  }
}

TEST_CASE("CPUs take elements at any address, as in packed structs", "[check]") {
  Fixture<double> fixture;
  auto args = fixture.args(3, 4, 5);
  args.A.data = reinterpret_cast<const double*>(reinterpret_cast<const unsigned char*>(args.A.data) + 4);
  CHECK(refused_for(args) == "");
}

TEMPLATE_TEST_CASE("negative sizes are refused, with any other sizes and any alpha", "[check]", float,
                   double) {
  Fixture<TestType> fixture;
  CHECK(refused_for(fixture.args(-1, 4, 3)).starts_with("negative size of A (-1 x 3)"));
  CHECK(refused_for(fixture.args(2, -4, 3)).starts_with("negative size of B (3 x -4)"));
  CHECK(refused_for(fixture.args(0, -4, 3)) != "");
  CHECK(refused_for(fixture.args(0, 0, -3)) != "");
  auto args = fixture.args(2, 4, -3);
  for (const int alpha : {1, 0}) {
    args.alpha = static_cast<TestType>(alpha);
    CHECK(refused_for(args).starts_with("negative size of A (2 x -3)"));
  }
}

TEMPLATE_TEST_CASE("null data is refused where it would be read or written", "[check]", float, double) {
  Fixture<TestType> fixture;
  const auto sound = fixture.args(2, 4, 3);
  using Limits = std::numeric_limits<TestType>;
  // A and B are read if alpha is NaN or tiny.
  for (const TestType alpha : {TestType(1), Limits::quiet_NaN(), Limits::denorm_min(), TestType(0)}) {
    auto a = sound, b = sound, c = sound;
    a.alpha = b.alpha = c.alpha = alpha;
    a.A.data = b.B.data = nullptr, c.C.data = nullptr;
    CHECK(problem([&] { prepared(a); }) == (alpha == 0 ? "" : "null data of A (2 x 3)"));
    CHECK(problem([&] { prepared(b); }) == (alpha == 0 ? "" : "null data of B (3 x 4)"));
    CHECK(problem([&] { prepared(c); }) == "null data of C (2 x 4)");
  }
}

TEMPLATE_TEST_CASE("alpha of 0 reads neither A nor B, and allows them in C", "[check]", float, double) {
  Fixture<TestType> fixture;
  for (const TestType zero : {TestType(0), TestType(-0.0)}) {
    auto args = fixture.args(2, 4, 3);
    args.A.data = args.B.data = nullptr;
    args.alpha = zero;
    const auto ready = prepared(args);
    CHECK(ready.shape() == GemmShape{2, 4, 0});
    CHECK((ready.A.rows == 2 && ready.B.cols == 4 && ready.B.rows == 0 && same(ready.C, args.C)));
  }
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
  // A kernel multiplies alpha by an empty sum, which must not give NaN.
  CHECK((ready.alpha * TestType(0) == 0 && ready.beta == args.beta));
}

TEMPLATE_TEST_CASE("an empty C is no error, with any pointer and strides", "[check]", float, double) {
  Fixture<TestType> fixture;
  for (const GemmShape shape : {GemmShape{0, 4, 3}, {4, 0, 3}, {0, 0, 0}, {0, 0, 3}}) {
    auto args = fixture.args(shape.m, shape.n, shape.k);
    args.C.data = nullptr;
    args.C.row_stride = args.C.col_stride = 0;
    const auto ready = prepared(args);
    CHECK((detail::is_empty(ready.C) && ready.shape() == shape));
  }
}

TEMPLATE_TEST_CASE("sizes whose offsets overflow are refused", "[check]", float, double) {
  Fixture<TestType> fixture;
  const auto sound = fixture.args(3, 4, 2);
  const Index reach = most / 2 / static_cast<Index>(sizeof(TestType));
  const auto overflows = [](const auto& args, const char* name, Index extent, Index stride) {
    return refused_for(args).starts_with(
        detail::text("extent times stride overflows for ", name, " (", extent, " x ", stride, ')'));
  };
  for (const Index stride : {Index{1} << 62, -(Index{1} << 62), most, -most, least}) {  // in elements
    auto args = sound;
    args.A.row_stride = stride;
    CHECK(overflows(args, "A", 3, stride));
    args = sound;
    args.C.row_stride = stride;
    CHECK(overflows(args, "C", 3, stride));
  }
  auto args = sound;  // overflow in bytes
  args.B.col_stride = most / 3 / static_cast<Index>(sizeof(TestType)) + 1;
  CHECK(overflows(args, "B", 4, args.B.col_stride));
  for (const int sign : {1, -1}) {  // each is below half of the address space, their sum is above
    args = sound;
    args.C = {fixture.memory, 3, 4, sign * (reach / 2 - 8), sign * (reach / 3 - 8)};
    CHECK(overflows(args, "C", 4, args.C.col_stride));
  }
  // Offsets of opposite signs do not add up.
  args.A = {fixture.memory, 3, 2, reach / 2 - 8, -(reach - 8)};
  CHECK(refused([&] { detail::check_memory("A", args.A); }) == "");
}

TEMPLATE_TEST_CASE("an extent of 1 makes its stride irrelevant", "[check]", float, double) {
  Fixture<TestType> fixture;
  for (const Index stride : {Index{0}, Index{1}, most, -most, least}) {
    auto args = fixture.args(1, 4, 3);
    args.A.row_stride = args.C.row_stride = stride;
    CHECK(refused_for(args) == "");
    args = fixture.args(4, 1, 3);
    args.B.col_stride = args.C.col_stride = stride;
    CHECK(refused_for(args) == "");
  }
}

TEMPLATE_TEST_CASE("operands that overlap are refused only where one of them is C", "[check]", float,
                   double) {
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
    CHECK(refused_for(args).starts_with("elements of C overlap (4 x 4, strides 3 and 1)"));
  }
}

TEMPLATE_TEST_CASE("a C whose rows are closer than its columns is computed as its transpose", "[check]",
                   float, double) {
  Fixture<TestType> fixture;
  for (const int sign : {1, -1}) {
    auto args = fixture.args(3, 4, 5);
    args.C = {fixture.memory + 250, 3, 4, sign * 1, sign * 3};
    const auto ready = prepared(args);
    CHECK(same(ready.C, args.C.transposed()));
    CHECK((same(ready.A, args.B.transposed()) && same(ready.B, args.A.transposed())));
    args.C = {fixture.memory + 250, 3, 4, sign * 4, -sign * 1};
    CHECK((same(prepared(args).C, args.C) && same(prepared(args).A, args.A)));
  }
}

std::array<float, 400> memory;

/// Whether the individual checks refuse a product.
bool is_wrong(const GemmArgs<float>& args) {
  return !refused([&] {
            detail::check_shapes<float>(args);
            detail::check_addresses<float>(args);
          }).empty();
}

/// Random operands in shared memory. Many of them are valid.
GemmArgs<float> random_product(Random& bits) {
  std::uniform_int_distribution<Index> extent(1, 4), stride(-2, 9), offset(100, 250);
  const Index m = extent(bits), n = extent(bits), k = extent(bits);
  const auto other = [&](Index x) { return std::bernoulli_distribution(0.02)(bits) ? x + 1 : x; };
  const auto matrix = [&](Index rows, Index cols) -> MatrixRef<float> {
    return {memory.data() + offset(bits), other(rows), other(cols), stride(bits), stride(bits)};
  };
  return {1, matrix(m, k), matrix(k, n), 0, matrix(m, n)};
}

TEST_CASE("the short check refuses the same products as the checks one by one, and prepares them alike",
          "[check]") {
  Random bits(seed);
  int passed = 0, wrong = 0, ready = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    GemmArgs<float> args = random_product(bits);
    INFO("seed " << seed << ", trial " << trial << ": " << args.A << ' ' << args.B << ' ' << args.C);
    const bool at_a_glance = detail::passes_at_a_glance(args);
    if (at_a_glance) CHECK_FALSE(is_wrong(args));
    if (is_wrong(args) == refused([&] { detail::check_one<float>(args); }).empty())
      FAIL_CHECK("the short way decides differently");
    passed += at_a_glance, wrong += is_wrong(args);
    args.alpha = std::bernoulli_distribution(0.1)(bits) ? 0 : 2;
    if (std::bernoulli_distribution(0.1)(bits)) args.A.cols = args.B.rows = 0;
    if (is_wrong(args) || !detail::is_prepared<float>(args)) continue;
    ++ready;
    const auto [alpha, A, B, beta, C] = detail::prepared<float>(args).first;
    CHECK((alpha == args.alpha && beta == args.beta));
    CHECK((same(A, args.A) && same(B, args.B) && same(C, args.C)));
  }
  CHECK((passed > 1000 && wrong > 1000 && ready > 1000));
}

TEST_CASE("a product of ordinary matrices, apart from each other, passes at a glance", "[check]") {
  float* const x = memory.data();
  const auto product = [&](Index a, Index b, Index c) -> GemmArgs<float> {
    return {1, row_major<const float>(x + a, 4, 4), row_major<const float>(x + b, 4, 4), 0,
            row_major(x + c, 4, 4)};
  };
  CHECK(detail::passes_at_a_glance(product(0, 16, 32)));
  CHECK(detail::passes_at_a_glance(product(16, 16, 0)));
  CHECK(detail::passes_at_a_glance(product(0, 32, 16)));
  CHECK_FALSE(detail::passes_at_a_glance(product(0, 16, 31)));  // C begins in B
  CHECK_FALSE(detail::passes_at_a_glance(product(15, 32, 0)));  // C ends in A
  for (const auto& change : {+[](GemmArgs<float>& args) { args.A.data = nullptr; },
                             +[](GemmArgs<float>& args) { args.B.cols = 5; },
                             +[](GemmArgs<float>& args) { args.C.row_stride = 3; },
                             +[](GemmArgs<float>& args) {
                               args.A.row_stride = Index{1} << 40;
                             }}) {  // legal, but sums might overflow
    GemmArgs<float> args = product(0, 16, 32);
    change(args);
    CHECK_FALSE(detail::passes_at_a_glance(args));
  }
}

TEST_CASE("no extent or stride so large that offsets could overflow passes at a glance", "[check]") {
  float* const x = memory.data();
  const GemmArgs<float> ordinary{1, row_major<const float>(x, 2, 3), row_major<const float>(x + 10, 3, 4), 0,
                                 row_major(x + 30, 2, 4)};
  REQUIRE(detail::passes_at_a_glance(ordinary));
  const Index large = Index{1} << 28;
  GemmArgs<float> long_k = ordinary;  // strides of 0
  long_k.A.cols = long_k.B.rows = large;
  long_k.A.col_stride = long_k.B.row_stride = 0;
  CHECK_FALSE(detail::passes_at_a_glance(long_k));
  for (Index MatrixRef<const float>::*stride :
       {&MatrixRef<const float>::row_stride, &MatrixRef<const float>::col_stride}) {
    GemmArgs<float> of_a = ordinary, of_b = ordinary;
    of_a.A.rows = of_a.C.rows = 1, of_a.A.cols = of_a.B.rows = 1;  // an extent of 1: the stride has no effect
    of_b = of_a;
    of_b.B.cols = of_b.C.cols = 1;
    of_a.A.*stride = large, of_b.B.*stride = large;
    CHECK_FALSE(detail::passes_at_a_glance(of_a));
    CHECK_FALSE(detail::passes_at_a_glance(of_b));
  }
}

TEST_CASE("operands that share half an element with C overlap it", "[check][overlap]") {
  using Z = complex<double>;
  double parts[80] = {};
  const auto matrix = [&](int first) { return row_major(reinterpret_cast<Z*>(parts + first), 2, 2); };
  const auto refused_with = [&](int a, int b) {
    return !refused([&] {
              detail::check_one<Z>(GemmArgs<Z>{1, matrix(a), matrix(b), 0, matrix(20)});
            }).empty();
  };
  CHECK_FALSE(refused_with(12, 28));
  CHECK(refused_with(13, 28));
  CHECK(refused_with(40, 13));
  CHECK(refused_with(12, 27));
}

/// The numbers of shared elements that a check misses, and of false alarms.
struct Disagreements {
  int missed = 0, invented = 0;

  void count(bool shared, bool said) { missed += shared && !said, invented += said && !shared; }
};

MatrixRef<float> result(Index rows, Index cols, Index row_stride, Index col_stride) {
  return {memory.data(), rows, cols, row_stride, col_stride};
}

bool is_refused(const MatrixRef<float>& C) {
  return !refused([&] { detail::check_distinct(C); }).empty();
}

/// Compares a check with an enumeration of all elements, for random matrices C.
template <class Check>
Disagreements on_distinct(const Check& refuses) {
  Random bits(seed);
  Disagreements found;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto C = result(pick(bits, 1, 6), pick(bits, 1, 6), pick(bits, -14, 14), pick(bits, -14, 14));
    std::set<Index> offsets;
    for (Index e = 0; e < C.rows * C.cols; ++e)
      offsets.insert(e / C.cols * C.row_stride + e % C.cols * C.col_stride);
    const bool shared = static_cast<Index>(offsets.size()) < C.rows * C.cols, said = refuses(C);
    if (shared != said) UNSCOPED_INFO("seed " << seed << ", trial " << trial << ": " << C);
    found.count(shared, said);
  }
  return found;
}

TEST_CASE("a C is refused exactly where elements of it coincide", "[distinct]") {
  const Disagreements found = on_distinct(is_refused);
  CHECK((found.missed == 0 && found.invented == 0));
  const Index large = Index{1} << 40;  // beyond 32 bits
  CHECK_FALSE(is_refused(result(large, 4, 4, 1)));
  CHECK(is_refused(result(large, 4, 3, 1)));
  CHECK_FALSE(is_refused(result(3, large, 1, 3)));
}

TEST_CASE("a wrong check of C's elements is detected", "[distinct]") {
  CHECK(on_distinct([](const auto&) { return false; }).missed > 0);
  CHECK(on_distinct([](const auto&) { return true; }).invented > 0);
  CHECK(on_distinct([](const auto& C) { return C.row_stride == 0 || C.col_stride == 0; }).missed > 0);
  CHECK(on_distinct([](const auto& C) {
          return std::abs(C.row_stride) < C.cols * std::abs(C.col_stride);
        }).invented > 0);
}

using Matrix = MatrixRef<const double>;
using Pair = std::pair<Matrix, Matrix>;

/// A parent matrix of 40 × 50 elements. overlap() uses only addresses.
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

/// Compares all elements.
bool share_elements(const Matrix& X, const Matrix& Y) {
  std::set<const double*> of_x;
  for (Index e = 0; e < X.rows * X.cols; ++e) of_x.insert(&X(e / X.cols, e % X.cols));
  for (Index e = 0; e < Y.rows * Y.cols; ++e) {
    if (of_x.contains(&Y(e / Y.cols, e % Y.cols))) return true;
  }
  return false;
}

/// Two blocks of one small parent, each possibly transposed. The parent may be strided.
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

/// Two unrelated matrices that are close in memory. Either may be empty.
Pair any_matrices(Random& random) {
  const auto any = [&] {
    return Matrix{parent + 1000 + pick(random, -30, 30), pick(random, 0, 5), pick(random, 0, 5),
                  pick(random, -9, 9), pick(random, -9, 9)};
  };
  const Matrix X = any();
  return {X, any()};
}

template <class Overlap>
Disagreements on_overlaps(Pair (*make)(Random&), const Overlap& says_overlap) {
  Random random(seed);
  Disagreements found;
  for (int trial = 0; trial < 30000; ++trial) {
    const auto [X, Y] = make(random);
    const bool shared = share_elements(X, Y), said = says_overlap(X, Y);
    if (shared != said && found.missed + found.invented < 3)
      UNSCOPED_INFO("seed " << seed << ", trial " << trial << ": " << X << " and " << Y);
    found.count(shared, said);
  }
  return found;
}

constexpr auto library = [](const Matrix& X, const Matrix& Y) { return detail::overlap(X, Y); };

TEST_CASE("overlap is exact for parts of one matrix, and misses no shared element of any two", "[overlap]") {
  const Disagreements of_parts = on_overlaps(parts_of_one_parent, library);
  CHECK((of_parts.missed == 0 && of_parts.invented == 0));
  CHECK(on_overlaps(any_matrices, library).missed == 0);
}

TEST_CASE("a wrong overlap test is detected", "[overlap]") {
  const auto range = [](const Matrix& X, const Matrix& Y) {
    const auto x = detail::offset_range("X", X), y = detail::offset_range("Y", Y);
    return X.data + x.low <= Y.data + y.high && Y.data + y.low <= X.data + x.high;
  };
  const auto never = [](const Matrix&, const Matrix&) { return false; };
  const auto starts_inside = [](const Matrix& X, const Matrix& Y) {
    return library(
        X, {Y.data, std::min<Index>(Y.rows, 1), std::min<Index>(Y.cols, 1), Y.row_stride, Y.col_stride});
  };
  CHECK(on_overlaps(parts_of_one_parent, range).invented > 0);
  CHECK(on_overlaps(parts_of_one_parent, never).missed > 0);
  CHECK(on_overlaps(parts_of_one_parent, starts_inside).missed > 0);
  CHECK(on_overlaps(any_matrices, never).missed > 0);
}

TEST_CASE("matrices overlap where they share an element, whatever their strides are", "[overlap]") {
  const Matrix X = part(3, 4, 5, 6), even_rows{parent, 5, ld, 2 * ld, 1}, even{parent, 5, 10, ld, 2};
  CHECK((overlap(X, X) && overlap(X, X.transposed())));
  CHECK(overlap(X, part(7, 9, 1, 1)));  // the last element of X
  CHECK_FALSE(overlap(X, part(8, 4, 1, 6)));
  for (const Matrix& none : {part(3, 4, 0, 6), part(3, 4, 5, 0), Matrix{}}) CHECK_FALSE(overlap(X, none));
  // Interleaved rows and columns.
  const Matrix odd_rows{parent + ld, 5, ld, 2 * ld, 1};
  CHECK_FALSE((overlap(even_rows, odd_rows) || overlap(even_rows, odd_rows.transposed())));
  CHECK(overlap(even_rows, Matrix{parent + 2 * ld, 2, ld, 2 * ld, 1}));
  CHECK_FALSE(overlap(even, {parent + 1, 5, 10, ld, 2}));
  CHECK(overlap(even, Matrix{parent + 18, 5, 2, ld, 2}));
  // With negative strides, a matrix extends below its first element.
  CHECK(overlap(X, {parent + 7 * ld + 4, 5, 6, -ld, 1}));         // rows bottom up
  CHECK_FALSE(overlap(X, {parent + 2 * ld + 9, 2, 6, -ld, -1}));  // entirely above X
  CHECK(overlap(X, {parent + 3 * ld + 4, 2, 2, -ld, -1}));        // starts at X's first element
}

TEST_CASE("offsets as large as they may be do not overflow", "[overlap]") {
  const Index reach = most / 2 / static_cast<Index>(sizeof(double));
  const Matrix long_one{parent + ld, 2, 2, reach - 1, 1}, before{parent, 2, 2, 4, 1};
  CHECK_FALSE(overlap(before, long_one));
  CHECK(overlap(long_one, part(0, 0, 40, 50)));
  const Matrix upwards{parent + ld, 2, 2, -reach, 1};
  CHECK(overlap(before, upwards));
  CHECK_FALSE(overlap(upwards, part(2, 0, 1, 1)));
  for (const Index stride : {Index{0}, most, -most}) {  // ignored with a single row
    CHECK(overlap({parent + 1, 1, 5, stride, 1}, {parent, 1, 5, stride, 1}));
    CHECK_FALSE(overlap({parent + 5, 1, 5, stride, 1}, {parent, 1, 5, stride, 1}));
  }
}

TEST_CASE("matrices that share half an element overlap", "[overlap]") {
  // Shifted by half an element: the matrices share bytes but no whole element.
  const auto* half = reinterpret_cast<const double*>(reinterpret_cast<const char*>(parent) + 4);
  CHECK(overlap({parent, 1, 1, 1, 1}, {half, 1, 1, 1, 1}));
  CHECK(overlap(part(0, 0, 2, 3), {half + 2, 2, 3, ld, 1}));
  CHECK_FALSE(overlap({parent, 1, 1, 1, 1}, {half + 1, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace rooftile
