// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The short way through the checks, which small products take.
#include <array>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/detail/batch.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using testing::refused;
using testing::seed;

std::array<float, 400> memory;

/// Whether the checks one by one refuse a product.
bool is_wrong(const GemmArgs<float>& args) {
  return !refused([&] {
            detail::check_shapes<float>(args);
            detail::check_addresses<float>(args);
          }).empty();
}

bool is_refused(const GemmArgs<float>& args) {
  return !refused([&] { detail::check_one<float>(args); }).empty();
}

/// Operands somewhere in one piece of memory, many of them right.
GemmArgs<float> random_product(std::mt19937_64& bits) {
  std::uniform_int_distribution<Index> extent(1, 4), stride(-2, 9), offset(100, 250);
  const Index m = extent(bits), n = extent(bits), k = extent(bits);
  const auto other = [&](Index x) { return std::bernoulli_distribution(0.02)(bits) ? x + 1 : x; };
  const auto matrix = [&](Index rows, Index cols) -> MatrixRef<float> {
    return {memory.data() + offset(bits), other(rows), other(cols), stride(bits), stride(bits)};
  };
  return {1, matrix(m, k), matrix(k, n), 0, matrix(m, n)};
}

TEST_CASE("no product passes at a glance that the checks one by one refuse", "[check]") {
  std::mt19937_64 bits(seed);
  int passed = 0, wrong = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const GemmArgs<float> args = random_product(bits);
    const bool at_a_glance = detail::passes_at_a_glance(args);
    INFO("seed " << seed << ", trial " << trial << ": " << args.A << ' ' << args.B << ' ' << args.C);
    if (at_a_glance) CHECK_FALSE(is_wrong(args));
    if (is_wrong(args) != is_refused(args)) FAIL_CHECK("the short way decides differently");
    passed += at_a_glance, wrong += is_wrong(args);
  }
  CHECK(passed > 1000);
  CHECK(wrong > 1000);
}

TEST_CASE("half an element is an overlap, too", "[check]") {
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

TEST_CASE("what passes at a glance is a product of ordinary matrices", "[check]") {
  float* const x = memory.data();
  const auto product = [&](Index a, Index b, Index c) -> GemmArgs<float> {
    return {1, row_major<const float>(x + a, 4, 4), row_major<const float>(x + b, 4, 4), 0,
            row_major(x + c, 4, 4)};
  };
  CHECK(detail::passes_at_a_glance(product(0, 16, 32)));
  CHECK(detail::passes_at_a_glance(product(16, 16, 0)));
  CHECK(detail::passes_at_a_glance(product(0, 32, 16)));
  CHECK_FALSE(detail::passes_at_a_glance(product(0, 16, 31)));  // C begins in B
  CHECK_FALSE(detail::passes_at_a_glance(product(15, 32, 0)));  // and ends in A
  GemmArgs<float> args = product(0, 16, 32);
  args.A.data = nullptr;
  CHECK_FALSE(detail::passes_at_a_glance(args));
  args = product(0, 16, 32);
  args.B.cols = 5;
  CHECK_FALSE(detail::passes_at_a_glance(args));
  args = product(0, 16, 32);
  args.C.row_stride = 3;
  CHECK_FALSE(detail::passes_at_a_glance(args));
  args = product(0, 16, 32);
  args.A.row_stride = Index{1} << 40;  // legal, but the sums might overflow
  CHECK_FALSE(detail::passes_at_a_glance(args));
}

TEST_CASE("what is prepared already is what `prepared` would return", "[check]") {
  std::mt19937_64 bits(seed);
  int ready = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    GemmArgs<float> args = random_product(bits);
    args.alpha = std::bernoulli_distribution(0.1)(bits) ? 0 : 2;
    if (std::bernoulli_distribution(0.1)(bits)) args.A.cols = args.B.rows = 0;
    if (is_wrong(args) || !detail::is_prepared<float>(args)) continue;
    ++ready;
    const auto [alpha, A, B, beta, C] = detail::prepared<float>(args).first;
    INFO("seed " << seed << ", trial " << trial << ": " << args.A << ' ' << args.B << ' ' << args.C);
    CHECK(alpha == args.alpha);
    CHECK((A.data == args.A.data && A.cols == args.A.cols && A.row_stride == args.A.row_stride));
    CHECK((B.data == args.B.data && B.rows == args.B.rows && B.row_stride == args.B.row_stride));
    CHECK((C.data == args.C.data && C.rows == args.C.rows && C.row_stride == args.C.row_stride));
  }
  CHECK(ready > 1000);
}

TEST_CASE("no extent or stride so large that offsets could overflow passes at a glance", "[check]") {
  float* const x = memory.data();
  const GemmArgs<float> ordinary{1, row_major<const float>(x, 2, 3), row_major<const float>(x + 10, 3, 4), 0,
                                 row_major(x + 30, 2, 4)};
  REQUIRE(detail::passes_at_a_glance(ordinary));
  const Index large = Index{1} << 28;
  GemmArgs<float> long_k = ordinary;  // of strides of 0
  long_k.A.cols = long_k.B.rows = large;
  long_k.A.col_stride = long_k.B.row_stride = 0;
  CHECK_FALSE(detail::passes_at_a_glance(long_k));
  for (Index MatrixRef<const float>::*stride :
       {&MatrixRef<const float>::row_stride, &MatrixRef<const float>::col_stride}) {
    GemmArgs<float> of_a = ordinary, of_b = ordinary;
    of_a.A.rows = of_a.C.rows = 1, of_a.A.cols = of_a.B.rows = 1;  // so that a stride leads nowhere
    of_b = of_a;
    of_b.B.cols = of_b.C.cols = 1;
    of_a.A.*stride = large, of_b.B.*stride = large;
    CHECK_FALSE(detail::passes_at_a_glance(of_a));
    CHECK_FALSE(detail::passes_at_a_glance(of_b));
  }
}

}  // namespace
}  // namespace rooftile
