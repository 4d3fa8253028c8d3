// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Products of mixed types on CPUs: exact ones of integers, error bounds, batches, and what is refused.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "rooftile/gemm_grouped.hpp"
#include "rooftile/reference.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile::testing {
namespace {

/// A number that spoils what it goes into.
template <class T>
T other_element() {
  if constexpr (std::is_integral_v<T>) {
    return 99;
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

/// `count` matrices in memory of their own, with other elements before, behind and between theirs.
template <class T>
struct Placed {
  std::vector<T> memory;
  BatchRef<T> all;

  /// @param repeats  whether rows, columns or matrices may be one and the same
  template <class Random>
  Placed(Index rows, Index cols, Index count, Random& bits, T other, bool repeats) {
    const auto up_to = [&](Index most) { return std::uniform_int_distribution<Index>(0, most)(bits); };
    const bool by_columns = up_to(1) == 1, interleaved = up_to(7) == 0, backwards = up_to(3) == 0;
    const Index step = (up_to(3) == 0 ? 2 : 1) * (interleaved ? count : 1);
    const Index ld = step * ((by_columns ? rows : cols) + up_to(4));
    const Index distance = interleaved ? 1 : ld * (by_columns ? cols : rows) + step + up_to(3);
    const Index stride = backwards ? -distance : distance, first = up_to(7);
    const Index matrix = ld * (by_columns ? cols : rows) + step;
    memory.assign(static_cast<std::size_t>(first + matrix + count * distance), other);
    T* const data = memory.data() + first + (backwards ? (count - 1) * distance : 0);
    MatrixRef<T> X{data, rows, cols, by_columns ? step : ld, by_columns ? ld : step};
    if (up_to(7) == 0 && rows > 0) X = {&X(rows - 1, 0), rows, cols, -X.row_stride, X.col_stride};
    if (up_to(7) == 0 && cols > 0) X = {&X(0, cols - 1), rows, cols, X.row_stride, -X.col_stride};
    if (repeats && up_to(7) == 0) X.row_stride = 0;
    if (repeats && up_to(7) == 0) X.col_stride = 0;
    all = {X, repeats && up_to(7) == 0 ? 0 : stride, count};
  }

  template <class Value>
  void fill(const Value& value) {
    for (Index entry = 0; entry < all.count; ++entry) {
      for (Index i = 0; i < all.first.rows; ++i) {
        for (Index j = 0; j < all.first.cols; ++j) all[entry](i, j) = static_cast<T>(value());
      }
    }
  }

  std::vector<T*> pointers() const {
    std::vector<T*> each;
    for (Index i = 0; i < all.count; ++i) each.push_back(all[i].data);
    return each;
  }
};

/// What lies at (i,j) of C after a product of integers, modulo 2³² where it has such.
template <class T>
Out<T> exact(const GemmArgs<T>& args, Index i, Index j) {
  constexpr bool integers = std::is_integral_v<Out<T>>;
  using Number = std::conditional_t<integers, std::uint64_t, double>;
  const auto number = [](auto x) {
    return static_cast<Number>(static_cast<std::conditional_t<integers, std::int64_t, double>>(x));
  };
  Number sum = 0;
  if (args.alpha != 0) {
    for (Index k = 0; k < args.A.cols; ++k) sum += number(args.A(i, k)) * number(args.B(k, j));
  }
  sum *= number(args.alpha);
  if (args.beta != 0) sum += number(args.beta) * number(args.C(i, j));
  if constexpr (integers) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  } else {
    return static_cast<Out<T>>(sum);
  }
}

/// A random number of products of small integers; C holds NaN where it is not read, if it can.
template <class T, class Random>
void try_integers(Random& bits) {
  constexpr bool integers = std::is_integral_v<Out<T>>;
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(bits); };
  const auto extent = [&]() -> Index {
    const int kind = between(0, 9);
    return kind < 4    ? between(1, 40)
           : kind < 8  ? between(1, 130)
           : kind == 8 ? between(0, 3)
                       : between(200, 400);
  };
  const bool long_k = between(0, 19) == 0;
  const Index m = long_k ? between(1, 20) : extent(), n = long_k ? between(1, 20) : extent();
  const Index k = long_k ? between(2000, 5000) : extent();
  const Index count = m * n * k < 50000 ? between(1, 6) : 1;
  Placed<In<T>> a(m, k, count, bits, other_element<In<T>>(), true),
      b(k, n, count, bits, other_element<In<T>>(), true);
  Placed<Out<T>> c(m, n, count, bits, Out<T>(99), false);
  const int largest = integers ? 127 : 4;
  const auto value = [&] { return between(-largest - (integers ? 1 : 0), largest); };
  const auto factor = [&] {
    constexpr std::int32_t far = std::numeric_limits<std::int32_t>::max();
    if (integers) return static_cast<Scalar<T>>(between(0, 3) == 0 ? between(-far, far) : between(-3, 3));
    constexpr double of_reals[] = {0, 1, -1, 0.5, 3};
    return static_cast<Scalar<T>>(of_reals[between(0, 4)]);
  };
  const Scalar<T> alpha = factor(), beta = between(0, 1) == 0 ? Scalar<T>(0) : factor();
  if (alpha != 0) a.fill(value), b.fill(value);  // else neither is read
  beta == 0 && !integers ? c.fill([] { return std::numeric_limits<double>::quiet_NaN(); }) : c.fill(value);
  INFO("(" << m << ", " << n << ", " << k << ") x " << count << ", alpha " << alpha << ", beta " << beta);

  Placed<Out<T>> expected = c;
  expected.all.first.data = expected.memory.data() + (c.all.first.data - c.memory.data());
  for (Index entry = 0; entry < count; ++entry) {
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j)
        expected.all[entry](i, j) = exact<T>({alpha, a.all[entry], b.all[entry], beta, c.all[entry]}, i, j);
    }
  }
  const auto a_at = a.pointers(), b_at = b.pointers();
  const auto c_at = c.pointers();
  const int way = between(0, 4);
  if (way == 4) {
    std::vector<GemmArgs<T>> group;
    for (Index i = 0; i < count; ++i) group.push_back(gemm_args(alpha, a.all[i], b.all[i], beta, c.all[i]));
    gemm_grouped(instance(), group);
  } else if (count == 1) {
    gemm(instance(), alpha, a.all.first, b.all.first, beta, c.all.first);
  } else if (way == 0) {
    gemm_strided_batched(instance(), alpha, a.all.first, a.all.stride, b.all.first, b.all.stride, beta,
                         c.all.first, c.all.stride, count);
  } else if (way == 1) {
    gemm_batched(instance(), alpha, pointer_batch(a_at.data(), a.all.first, count), b.all, beta,
                 pointer_batch(c_at.data(), c.all.first, count));
  } else if (way == 2) {
    gemm_batched(instance(), alpha, a.all, pointer_batch(b_at.data(), b.all.first, count), beta, c.all);
  } else {
    const GemmPlan plan = explain(instance(), alpha, a.all, b.all, beta, c.all);
    run(plan, instance(), alpha, a.all, b.all, beta, c.all);
  }
  CHECK((c.memory == expected.memory));
}

TEMPLATE_LIST_TEST_CASE("products of integers are exact", "[mixed]", MixedProducts) {
  std::mt19937_64 bits(seed);
  for (int i = 0; i < 150; ++i) try_integers<TestType>(bits);
}

/// The largest error over its bound of products whose elements are `value(bits)`, those of A times 2^g and
/// those of B times 2^-g along K, g random up to `grade`.
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
  const auto positive = [](auto& bits) {  // squares, which have more digits than a sum of doubles holds
    const float root = std::uniform_real_distribution<float>(0, 1)(bits);
    return root * root;
  };
  const auto any = [&](auto& bits) { return bits() % 2 == 0 ? positive(bits) : -positive(bits); };
  for (const double ratio :
       {worst<TestType>(any, 0), worst<TestType>(positive, 0), worst<TestType>(any, 8)}) {
    CHECK(ratio <= 1);
    CHECK(ratio > 1e-4);  // the bound is that of the sums' type, and no wider
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
    Placed<In<T>> a(shape.m, shape.k, 1, bits, In<T>(0), false),
        b(shape.k, shape.n, 1, bits, In<T>(0), false);
    Placed<Out<T>> c(shape.m, shape.n, 1, bits, Out<T>(0), false);
    const auto value = [&] { return std::uniform_real_distribution<float>(-100, 100)(bits); };
    a.fill(value), b.fill(value), c.fill(value);
    const std::vector<Out<T>> before = c.memory;
    gemm(instance(), 3, a.all.first, b.all.first, 2, c.all.first);
    const std::vector<Out<T>> by_all = c.memory;
    c.memory = before;
#pragma omp parallel num_threads(1)
    gemm(instance(), 3, a.all.first, b.all.first, 2, c.all.first);
    CHECK((c.memory == by_all));
    for (int threads = 1; threads <= instance().concurrency(); ++threads) {
      c.memory = before;
      gemm(Kokkos::OpenMP(threads), 3, a.all.first, b.all.first, 2, c.all.first);
      INFO(to_string(shape) << " by " << threads);
      CHECK((c.memory == by_all));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("a group has the bits of its products, whoever computes them", "[mixed]",
                        MixedProducts) {
  using T = TestType;
  std::mt19937_64 bits(seed);
  const auto extent = [&](Index most) { return std::uniform_int_distribution<Index>(0, most)(bits); };
  std::vector<GemmShape> shapes{{600, 500, 400}, {3, 900, 2000}, {40, 40, 9000}};
  for (int i = 0; i < 100; ++i) shapes.push_back({extent(40), extent(40), extent(40)});
  for (int i = 0; i < 8; ++i) shapes.push_back({extent(200), extent(200), extent(200)});
  std::vector<Placed<In<T>>> as, bs;
  std::vector<Placed<Out<T>>> cs, alone;
  const auto value = [&] { return std::uniform_real_distribution<float>(-100, 100)(bits); };
  for (const auto& [m, n, k] : shapes) {
    as.emplace_back(m, k, 1, bits, In<T>(0), true).fill(value);
    bs.emplace_back(k, n, 1, bits, In<T>(0), true).fill(value);
    cs.emplace_back(m, n, 1, bits, Out<T>(0), false).fill(value);
  }
  std::vector<GemmArgs<T>> group;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    group.push_back(gemm_args(i % 5, as[i].all.first, bs[i].all.first, i % 3, cs[i].all.first));
    alone.push_back(cs[i]);
    alone[i].all.first.data = alone[i].memory.data() + (cs[i].all.first.data - cs[i].memory.data());
    gemm(instance(), group[i].alpha, group[i].A, group[i].B, group[i].beta, alone[i].all.first);
  }
  std::vector<std::vector<Out<T>>> before;
  for (const auto& c : cs) before.push_back(c.memory);
  for (int threads = 1; threads <= instance().concurrency(); ++threads) {
    for (std::size_t i = 0; i < cs.size(); ++i)
      std::copy(before[i].begin(), before[i].end(), cs[i].memory.begin());
    gemm_grouped(Kokkos::OpenMP(threads), group);
    INFO(threads << " threads");
    bool same = true;
    for (std::size_t i = 0; i < cs.size(); ++i) same = same && cs[i].memory == alone[i].memory;
    CHECK(same);
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
    // What an element of 16 bits cannot hold, C does.
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
  std::vector<Out<T>> c{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto C = row_major(c.data(), 3, 3);
  gemm(instance(), 5, none, none.transposed(), -2, C);
  CHECK(c == std::vector<Out<T>>{-2, -4, -6, -8, -10, -12, -14, -16, -18});
  gemm(instance(), 5, none, none.transposed(), 0, C);
  CHECK(c == std::vector<Out<T>>(9, 0));
  gemm(instance(), 5, none.block(0, 0, 0, 0), none.transposed(), 2, C.block(0, 0, 0, 3));
}

TEMPLATE_LIST_TEST_CASE("the plan names the kernel, and what cannot be is refused", "[mixed]",
                        MixedProducts) {
  using T = TestType;
  std::vector<In<T>> a(100, In<T>(1)), b(100, In<T>(1));
  std::vector<Out<T>> c(100, Out<T>(7));
  const auto A = row_major(a.data(), 10, 10), B = row_major(b.data(), 10, 10);
  const auto C = row_major(c.data(), 10, 10);
  const GemmPlan plan = explain(instance(), 1, A, B, 0, C);
  CHECK((plan.kernel == Kernel::packed && plan.math == own_math<T>()));
  CHECK(plan.algorithm == CpuAlgorithm::panels);
  CHECK(explain<T>(instance(), {10, 10, 10}).desc.result_type == result_type_of<T>());
  CHECK((plan.desc.type == type_of<T>() && plan.desc.result_type == result_type_of<T>()));

  const std::string name(to_string(own_math<T>()));
  const auto refusal = [&](const GemmOptions& options) {
    return refused([&] { gemm(instance(), 1, A, B, 0, C, options); });
  };
  CHECK(refusal({.kernel = Kernel::pipelined})
            .starts_with("kernel for GPUs, which this device is not one of (pipelined)"));
  CHECK(refusal({.kernel = Kernel::naive}) ==
        "kernel does not compute in " + name + " (naive): take one of packed");
  CHECK(refusal({.math = Math::tf32}) == "math mode not for the element type (tf32, " +
                                             to_string(type_of<T>(), result_type_of<T>()) +
                                             "): take one of " + name);
  // A of another type than C, in the same memory.
  const MatrixRef<const In<T>> inside{reinterpret_cast<const In<T>*>(c.data() + 99), 1, 1, 1, 1};
  CHECK(refused([&] {
          gemm(instance(), 1, inside, row_major(b.data(), 1, 100), 0, row_major(c.data(), 1, 100));
        }).starts_with("C overlaps A ("));
  CHECK((c == std::vector<Out<T>>(100, Out<T>(7))));

  // A group, of which one product does not conform.
  std::vector<GemmArgs<T>> group{gemm_args(1, A, B, 0, C), gemm_args(1, A, B.block(0, 0, 9, 10), 0, C)};
  CHECK(problem([&] { gemm_grouped(instance(), group); }) ==
        "product 1 of 2, counted from 0: shapes do not conform (A 10 x 10, B 9 x 10, C 10 x 10)");
  CHECK((c == std::vector<Out<T>>(100, Out<T>(7))));
  group.pop_back();
  const std::vector<GemmPlan> plans = explain_grouped(instance(), group);
  CHECK((plans.size() == 1 && plans.front().kernel == Kernel::packed && plans.front().math == own_math<T>()));
  // A plan of products of one type is none of these.
  if constexpr (Element<In<T>>) {
    std::vector<In<T>> same(100);
    const GemmPlan other = explain(instance(), 1, A, B, 0, row_major(same.data(), 10, 10));
    CHECK(refused([&] { run(other, instance(), 1, A, B, 0, C); }).starts_with("plan for other products ("));
  }
}

}  // namespace
}  // namespace rooftile::testing
