// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Infinity, NaN, subnormal numbers and graded matrices in the packed rung, in every layout and algorithm.
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "numerics/reference.hpp"
#include "rooftile/detail/for_each_product.hpp"
#include "rooftile/gemm.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"

namespace rooftile::testing {
namespace {

constexpr std::uint64_t seed = 20261122;

constexpr GemmShape shapes[] = {{1, 1, 1},      {5, 6, 7},      {16, 16, 16},  {33, 47, 29},   {64, 64, 64},
                                {100, 100, 90}, {130, 170, 90}, {64, 1, 300},  {3, 1001, 700}, {40, 2, 3000},
                                {20, 24, 5000}, {2, 9001, 45},  {300, 70, 40}, {1, 70, 1100},  {70, 3, 64}};

/// Computes products in each layout. The betas rotate, so that each shape gets all of them.
/// @param value(operand)      an element of A, B or C: 'a', 'b' or 'c'
/// @param expect(args)        the expected result
/// @param check(expected, c)  checks the computed C
template <class T, class Value, class Expect, class Check>
void for_each_product(const std::vector<Scalar<T>>& betas, const Value& value, const Expect& expect,
                      const Check& check) {
  const Kokkos::OpenMP& exec = instance();
  for (std::size_t s = 0; s < std::size(shapes); ++s) {
    const auto [m, n, k] = shapes[s];
    for (std::size_t layout = 0; layout < 8; ++layout) {
      const auto matrix = [layout]<class U>(int bit, U* data, Index rows, Index cols) {
        return (layout >> bit & 1) != 0 ? row_major(data, rows, cols) : column_major(data, rows, cols);
      };
      const auto filled = [&](char operand, Index elements) {
        std::vector<T> x(static_cast<std::size_t>(elements));
        for (T& element : x) element = value(operand);
        return x;
      };
      const std::vector<T> a = filled('a', m * k), b = filled('b', k * n);
      std::vector<T> c = filled('c', m * n);
      const Scalar<T> beta = betas[(s + layout) % betas.size()];
      const GemmArgs<T> args{1, matrix(0, a.data(), m, k), matrix(1, b.data(), k, n), beta,
                             matrix(2, c.data(), m, n)};
      const auto expected = expect(args);
      INFO(to_string(shapes[s]) << " layout " << layout << " beta " << beta << " seed " << seed);
      gemm(exec, args.alpha, args.A, args.B, args.beta, args.C);
      exec.fence();
      check(expected, args.C);
    }
  }
}

/// The elements of C by the definition, summed along K in order. Row-major.
template <class T>
std::vector<T> defined(const GemmArgs<T>& args) {
  const auto& [alpha, A, B, beta, before] = args;
  std::vector<T> expected;
  for (Index i = 0; i < before.rows; ++i) {
    for (Index j = 0; j < before.cols; ++j) {
      Scalar<T> sum = 0;
      for (Index l = 0; l < A.cols; ++l) sum += A(i, l) * B(l, j);
      expected.push_back(static_cast<T>(beta == 0 ? alpha * sum : alpha * sum + beta * before(i, j)));
    }
  }
  return expected;
}

/// Calls f(element) for each element in row-major order.
template <class T, class F>
void for_each_element(const MatrixRef<T>& C, const F& f) {
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) f(C(i, j));
  }
}

/// The number of elements that differ from the expected ones. NaN must match NaN.
template <class T>
Index wrong_elements(const std::vector<T>& expected, const MatrixRef<T>& C) {
  Index wrong = 0;
  auto next = expected.begin();
  for_each_element(C, [&](const T& found) {
    const T x = *next++;
    wrong += (x == x ? found == x : !(found == found)) ? 0 : 1;
  });
  return wrong;
}

TEMPLATE_TEST_CASE("infinity and NaN are where the definition has them", "[numbers]", float, double, float16,
                   bfloat16) {
  using T = TestType;
  std::mt19937_64 bits(seed);
  using Limits = std::numeric_limits<T>;
  // Special values are rare, so that most elements of C get none or one. The other values are small integers,
  // including 0, whose sums are exact.
  const auto value = [&](char operand) -> T {
    switch (operand == 'c' ? bits() % 8 : bits() % 2000) {
      case 0:
        return Limits::infinity();
      case 1:
        return static_cast<T>(-Limits::infinity());
      case 2:
        return Limits::quiet_NaN();
      default:
        return static_cast<T>(static_cast<Scalar<T>>(static_cast<int>(bits() % 5) - 2));
    }
  };
  Index nans = 0, infinities = 0, finite = 0;
  const auto count = [&](const std::vector<T>& expected, const MatrixRef<T>& C) {
    CHECK(wrong_elements(expected, C) == 0);
    for_each_element(C, [&](const T& x) { ++(std::isnan(x) ? nans : std::isinf(x) ? infinities : finite); });
  };
  for_each_product<T>({0, 1, Scalar<T>(-0.5)}, value, defined<T>, count);
  CHECK(nans > 1000);
  CHECK(infinities > 1000);
  CHECK(finite > 1000);
}

TEMPLATE_TEST_CASE("an infinite part of C stays infinite with a beta of 1, and the other part is exact",
                   "[numbers]", complex<float>, complex<double>) {
  using T = TestType;
  using Part = Real<T>;
  std::mt19937_64 bits(seed);
  const auto value = [&](char operand) {
    return detail::from_parts<T>([&]() -> Part {
      if (operand == 'c' && bits() % 8 == 0) return std::numeric_limits<Part>::infinity();
      return static_cast<Part>(static_cast<int>(bits() % 5) - 2);
    });
  };
  const auto added = [](GemmArgs<T> args) {
    const MatrixRef<T> before = args.C;
    std::vector<T> expected = defined<T>({args.alpha, args.A, args.B, 0, before});
    auto next = expected.begin();
    for_each_element(before, [&](const T& x) { *next++ += x; });
    return expected;
  };
  Index infinities = 0;
  for_each_product<T>({1}, value, added, [&](const std::vector<T>& expected, const MatrixRef<T>& C) {
    CHECK(wrong_elements(expected, C) == 0);
    for (const T& x : expected) infinities += std::isinf(x.re) != std::isinf(x.im) ? 1 : 0;
  });
  CHECK(infinities > 1000);
}

TEMPLATE_TEST_CASE("subnormal numbers are kept", "[numbers]", float, double, float16, bfloat16,
                   complex<float>, complex<double>) {
  using T = TestType;
  std::mt19937_64 bits(seed);
  // Multiples of the smallest number times small integers: the sums are exact and subnormal.
  using Part = Real<Scalar<T>>;
  const Part smallest = std::numeric_limits<T>::denorm_min();
  const auto value = [&](char operand) {
    return detail::from_parts<T>([&] {
      const auto integer = static_cast<Part>(static_cast<int>(bits() % 5) - 2);
      return operand == 'b' ? integer : integer * smallest;
    });
  };
  Index kept = 0;
  const auto count = [&](const std::vector<T>& expected, const MatrixRef<T>& C) {
    CHECK(wrong_elements(expected, C) == 0);
    for_each_element(C, [&](const T& x) { kept += x != 0 ? 1 : 0; });
  };
  for_each_product<T>({0, 1, -2}, value, defined<T>, count);
  CHECK(kept > 1000);
}

TEMPLATE_TEST_CASE("graded matrices are within their bound", "[numbers]", float, double, float16, bfloat16,
                   complex<float>, complex<double>) {
  using T = TestType;
  std::mt19937_64 bits(seed);
  using Part = Real<Scalar<T>>;
  constexpr int binades = type_of<T>() == Type::fp16 ? 4 : std::numeric_limits<Part>::max_exponent / 4;
  const auto value = [&](char) {
    return detail::from_parts<T>([&] {
      return std::ldexp(std::uniform_real_distribution<Part>(-1, 1)(bits),
                        std::uniform_int_distribution<int>(-binades, binades)(bits));
    });
  };
  const auto reference = [](const GemmArgs<T>& args) { return Reference<T>(args); };
  for_each_product<T>({0, 1}, value, reference, [](const Reference<T>& expected, const MatrixRef<T>& C) {
    const Verification worst = expected.compare(C);
    INFO("at (" << worst.row << ", " << worst.col << ")");
    CHECK(worst.ratio <= 1);
  });
}

}  // namespace
}  // namespace rooftile::testing
