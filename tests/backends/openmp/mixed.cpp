// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Mixed-type products on CPUs: limits of int32, error bounds, special numbers, threads, groups, refusals.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "numerics/reference.hpp"
#include "rooftile/gemm_grouped.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile::testing {
namespace {

/// A matrix in its own memory, row-major or column-major, contiguous or strided.
template <class T>
struct Placed {
  std::vector<T> memory;
  MatrixRef<T> matrix;

  template <class Random>
  Placed(Index rows, Index cols, Random& bits) {
    const auto up_to = [&](Index most) { return std::uniform_int_distribution<Index>(0, most)(bits); };
    const bool by_columns = up_to(1) == 1;
    const Index step = up_to(3) == 0 ? 2 : 1, ld = step * ((by_columns ? rows : cols) + up_to(4));
    memory.resize(static_cast<std::size_t>(ld * (by_columns ? cols : rows) + step));
    matrix = {memory.data(), rows, cols, by_columns ? step : ld, by_columns ? ld : step};
    for (T& x : memory) x = static_cast<T>(std::uniform_real_distribution<float>(-100, 100)(bits));
  }
};

TEMPLATE_LIST_TEST_CASE("operands with strides of 0, interleaved or backwards are exact", "[mixed]",
                        MixedProducts) {
  using T = TestType;
  constexpr Index m = 37, n = 41, k = 29, count = 3;
  std::vector<In<T>> a, b;
  for (Index e = 0; e < k; ++e) a.push_back(static_cast<In<T>>(static_cast<float>(e % 5 - 2)));
  for (Index e = 0; e < k * n * count; ++e) b.push_back(static_cast<In<T>>(static_cast<float>(e % 7 - 3)));
  std::vector<Out<T>> c(static_cast<std::size_t>(m * n * count), Out<T>(99));
  const MatrixRef<const In<T>> A{a.data(), m, k, 0, 1};  // all rows share one address
  const BatchRef<const In<T>> B{{b.data(), k, n, n * count, count}, 1, count};
  const BatchRef<Out<T>> C{row_major(c.data() + (count - 1) * m * n, m, n), -m * n, count};
  gemm_batched(instance(), 2, A, B, 0, C);
  Index wrong = 0;
  for (Index p = 0; p < count; ++p) {
    for (Index e = 0; e < m * n; ++e) {
      float sum = 0;
      for (Index l = 0; l < k; ++l)
        sum += static_cast<float>(A(e / n, l)) * static_cast<float>(B[p](l, e % n));
      wrong += static_cast<float>(C[p](e / n, e % n)) == 2 * sum ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

/// The largest ratio of error to bound. Elements are `value(bits)`. Along K, those of A are multiplied by 2^g
/// and those of B by 2^-g, with random g from -grade to grade.
template <class T, class Value>
double worst(const Value& value, int grade) {
  std::mt19937_64 bits(seed);
  double ratio = 0;
  for (const GemmShape shape : {GemmShape{33, 70, 500}, {5, 3, 3000}, {130, 65, 40}, {1, 1, 7}}) {
    const auto [m, n, k] = shape;
    std::vector<In<T>> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
    std::vector<Out<T>> c(static_cast<std::size_t>(m * n));
    std::vector<int> grades(static_cast<std::size_t>(k));
    for (int& g : grades) g = std::uniform_int_distribution<int>(-grade, grade)(bits);
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<In<T>>(std::ldexp(value(bits), grades[i % static_cast<std::size_t>(k)]));
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<In<T>>(std::ldexp(value(bits), -grades[i / static_cast<std::size_t>(n)]));
    for (auto& x : c) x = static_cast<Out<T>>(value(bits));
    const GemmArgs<T> args{Scalar<T>(0.3), row_major<const In<T>>(a.data(), m, k),
                           row_major<const In<T>>(b.data(), k, n), Scalar<T>(-1.7),
                           row_major(c.data(), m, n)};
    const Reference<T> reference(args);
    gemm(instance(), args.alpha, args.A, args.B, args.beta, args.C);
    ratio = std::max(ratio, reference.compare(args.C).ratio);
  }
  return ratio;
}

TEMPLATE_TEST_CASE("errors are within the mode's bound", "[mixed]", (Mixed<float16, float>),
                   (Mixed<bfloat16, float>), (Mixed<float, double>)) {
  const auto positive = [](auto& bits) {  // squares have more digits than a sum of doubles holds
    const float root = std::uniform_real_distribution<float>(0, 1)(bits);
    return root * root;
  };
  const auto any = [&](auto& bits) { return bits() % 2 == 0 ? positive(bits) : -positive(bits); };
  for (const double ratio :
       {worst<TestType>(any, 0), worst<TestType>(positive, 0), worst<TestType>(any, 8)}) {
    CHECK(ratio <= 1);
    CHECK(ratio > 1e-4);  // the bound is that of the accumulator's type and no wider
  }
}

TEST_CASE("sums of integers are exact up to the ends of int32, and wrap around behind them", "[mixed]") {
  for (const Index k : {Index{1} << 17, (Index{1} << 17) - 1, (Index{1} << 17) + 3}) {
    const std::vector<std::int8_t> a(static_cast<std::size_t>(k), -128), b(static_cast<std::size_t>(k), 127);
    std::int32_t c = 7;
    const auto A = row_major(a.data(), 1, k), B = row_major(b.data(), k, 1);
    const auto C = row_major(&c, 1, 1);
    gemm(instance(), 1, A, A.transposed(), 0, C);
    CHECK(c == static_cast<std::int32_t>(static_cast<std::uint32_t>(k << 14)));
    gemm(instance(), -1, A, A.transposed(), 0, C);
    CHECK(c == static_cast<std::int32_t>(-static_cast<std::uint32_t>(k << 14)));
    gemm(instance(), 1, A, B, 0, C);
    CHECK(c == -k * 128 * 127);
  }
}

TEMPLATE_LIST_TEST_CASE("bits do not depend on the number of threads", "[mixed]", MixedProducts) {
  using T = TestType;
  std::mt19937_64 bits(seed);
  for (const GemmShape shape : {GemmShape{300, 200, 90}, {20, 30, 9000}, {7, 9, 5}}) {
    const Placed<In<T>> a(shape.m, shape.k, bits), b(shape.k, shape.n, bits);
    Placed<Out<T>> c(shape.m, shape.n, bits);
    const std::vector<Out<T>> before = c.memory;
    gemm(instance(), 3, a.matrix, b.matrix, 2, c.matrix);
    const std::vector<Out<T>> by_all = c.memory;
    c.memory = before;
#pragma omp parallel num_threads(1)
    gemm(instance(), 3, a.matrix, b.matrix, 2, c.matrix);
    CHECK((c.memory == by_all));
    for (int threads = 1; threads <= instance().concurrency(); ++threads) {
      c.memory = before;
      gemm(Kokkos::OpenMP(threads), 3, a.matrix, b.matrix, 2, c.matrix);
      INFO(to_string(shape) << " by " << threads);
      CHECK((c.memory == by_all));
    }
  }
}

TEMPLATE_TEST_CASE("infinity and NaN stay in their rows and columns", "[mixed]", (Mixed<float16, float>),
                   (Mixed<bfloat16, float>), (Mixed<float, double>)) {
  using T = TestType;
  constexpr auto infinity = std::numeric_limits<float>::infinity(),
                 nan = std::numeric_limits<float>::quiet_NaN();
  for (const GemmShape shape : {GemmShape{5, 6, 7}, {40, 50, 33}, {130, 70, 300}, {1, 1, 3}}) {
    const auto [m, n, k] = shape;
    INFO(to_string(shape));
    std::vector<In<T>> a(static_cast<std::size_t>(m * k), In<T>(1)),
        b(static_cast<std::size_t>(k * n), In<T>(2));
    std::vector<Out<T>> c(static_cast<std::size_t>(m * n), 1);
    const auto A = row_major(a.data(), m, k), B = row_major(b.data(), k, n);
    const auto C = row_major(c.data(), m, n);
    A(m - 1, k / 2) = In<T>(infinity), B(k / 2, 0) = In<T>(-infinity);
    gemm(instance(), 1, A, B, 1, C);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        const bool of_a = i == m - 1, of_b = j == 0;
        CHECK(C(i, j) == (of_b ? -infinity : of_a ? infinity : static_cast<float>(2 * k + 1)));
      }
    }
    A(m - 1, k / 2) = In<T>(nan), B(k / 2, 0) = In<T>(0);
    gemm(instance(), 1, A, B, 0, C);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j)
        CHECK((i == m - 1 ? std::isnan(C(i, j)) : C(i, j) == static_cast<float>(j == 0 ? 2 * k - 2 : 2 * k)));
    }
    // Results exceed the range of 16-bit elements but not that of C.
    a.assign(a.size(), std::numeric_limits<In<T>>::max()), b.assign(b.size(), In<T>(1));
    gemm(instance(), 1, A.block(0, 0, m, 1), B.block(0, 0, 1, n), 0, C);
    CHECK(c == std::vector<Out<T>>(c.size(), static_cast<Out<T>>(std::numeric_limits<In<T>>::max())));
    gemm(instance(), 0, A, B, 0, C);
    CHECK(c == std::vector<Out<T>>(c.size(), 0));
  }
}

TEMPLATE_LIST_TEST_CASE("no K scales C, and no elements are nothing to do", "[mixed]", MixedProducts) {
  using T = TestType;
  const MatrixRef<const In<T>> none{nullptr, 3, 0, 1, 1};
  std::vector<Out<T>> c;
  for (int i = 1; i <= 9; ++i) c.push_back(static_cast<Out<T>>(static_cast<float>(i)));
  const auto C = row_major(c.data(), 3, 3);
  gemm(instance(), 5, none, none.transposed(), -2, C);
  for (std::size_t i = 0; i < 9; ++i) CHECK(static_cast<double>(c[i]) == -2.0 * static_cast<double>(i + 1));
  gemm(instance(), 5, none, none.transposed(), 0, C);
  CHECK(c == std::vector<Out<T>>(9, Out<T>(0)));
  gemm(instance(), 5, none.block(0, 0, 0, 0), none.transposed(), 2, C.block(0, 0, 0, 3));
}

TEMPLATE_LIST_TEST_CASE("the plan names the kernel, and products that do not conform are refused", "[mixed]",
                        MixedProducts) {
  using T = TestType;
  std::vector<In<T>> a(100, In<T>(1)), b(100, In<T>(1));
  std::vector<Out<T>> c(100, Out<T>(7));
  const auto A = row_major(a.data(), 10, 10), B = row_major(b.data(), 10, 10);
  const auto C = row_major(c.data(), 10, 10);
  const GemmPlan plan = explain(instance(), 1, A, B, 0, C);
  CHECK((plan.kernel == Kernel::packed && plan.math == own_mode<T>()));
  CHECK((plan.algorithm == CpuAlgorithm::panels || detail::Float8<In<T>>));  // which become fp32 first
  CHECK((plan.desc.type == type_of<T>() && plan.desc.result_type == result_type_of<T>()));

  CHECK_FALSE(refused([&] { gemm(instance(), 1, A, B, 0, C, {.kernel = Kernel::naive}); }).empty());
  CHECK_FALSE(refused([&] { gemm(instance(), 1, A, B, 0, C, {.math = ComputeMode::tf32}); }).empty());
  // A has another type than C and overlaps its memory.
  const MatrixRef<const In<T>> inside{reinterpret_cast<const In<T>*>(c.data() + 99), 1, 1, 1, 1};
  CHECK(refused([&] {
          gemm(instance(), 1, inside, row_major(b.data(), 1, 100), 0, row_major(c.data(), 1, 100));
        }).starts_with("C overlaps A ("));

  // One product of the group does not conform.
  std::vector<GemmArgs<T>> group{gemm_args(1, A, B, 0, C), gemm_args(1, A, B.block(0, 0, 9, 10), 0, C)};
  CHECK(problem([&] { gemm_grouped(instance(), group); }) ==
        "product 1 of 2, counted from 0: shapes do not conform (A 10 x 10, B 9 x 10, C 10 x 10)");
  CHECK((c == std::vector<Out<T>>(100, Out<T>(7))));
  group.pop_back();
  const std::vector<GemmPlan> plans = explain_grouped(instance(), group);
  CHECK((plans.size() == 1 && plans.front().kernel == Kernel::packed && plans.front().math == own_mode<T>()));
  // A plan of a product with one type is refused for mixed types.
  if constexpr (Element<In<T>>) {
    std::vector<In<T>> same(100);
    const GemmPlan other = explain(instance(), 1, A, B, 0, row_major(same.data(), 10, 10));
    CHECK(refused([&] { run(other, instance(), 1, A, B, 0, C); }).starts_with("plan for other products ("));
  }
}

}  // namespace
}  // namespace rooftile::testing
