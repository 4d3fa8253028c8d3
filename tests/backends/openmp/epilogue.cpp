// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Epilogues of `gemm_fused` on CPUs: one call per element, equal bits for any number of threads, and
// refusals.
#include <array>
#include <iterator>
#include <memory>
#include <set>

#include <catch2/catch_template_test_macros.hpp>

#include "fused_product.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

/// Shapes that cover every algorithm, and their transposes.
constexpr GemmShape shapes[] = {
    {1, 1, 1},      {5, 6, 7},       {16, 16, 16},    {17, 3, 9},     {33, 47, 29},   {64, 64, 64},
    {100, 100, 90}, {61, 1, 300},    {70, 3, 64},     {2100, 2, 40},  {40, 2, 3000},  {3, 1001, 700},
    {2, 9001, 45},  {4, 5000, 300},  {1, 70, 1100},   {20, 24, 5000}, {130, 170, 90}, {300, 70, 40},
    {301, 203, 0},  {210, 190, 700}, {400, 330, 180}, {0, 5, 6},      {5, 0, 6},      {1030, 50, 20},
    {9, 1300, 70},  {97, 101, 103},  {1, 257, 2},     {257, 1, 2}};

TEMPLATE_TEST_CASE("an epilogue gets each element once, with its place and its sum", "[epilogue]", float,
                   double, float16, bfloat16, complex<float>, complex<double>) {
  using V = Scalar<TestType>;
  std::mt19937_64 bits(fused_seed);
  std::set<CpuAlgorithm> algorithms;
  int swapped = 0, split = 0, packed = 0;
  for (int round = 0; round < 4; ++round) {
    for (GemmShape shape : shapes) {
      if (round % 2 != 0) std::swap(shape.m, shape.n);
      const Product<TestType> product(bits, shape, detail::is_complex<TestType>);
      INFO("round " << round << " of " << to_string(shape) << ", strides of C " << product.C.matrix.row_stride
                    << ' ' << product.C.matrix.col_stride);
      std::vector<TestType> first;
      for (const Kokkos::OpenMP* exec : {&instances().all, &instances().one, &instances().three}) {
        std::vector<std::atomic<int>> calls(static_cast<std::size_t>(shape.m * shape.n));
        std::atomic<Index> fetched = 0;
        const std::vector<TestType> result =
            product.result(*exec, Probe<V>{calls.data(), shape.m, shape.n, &fetched});
        CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& count) { return count == 1; }));
        CHECK((fetched == 0 || fetched == shape.m * shape.n));  // large products prefetch each element once
        if (first.empty()) first = result;
        CHECK(same(result, first));
      }
      CHECK(same(first, product.expected([](Index i, Index j, V value) {
        return value + value + number<V>(1000 * i + j);
      })));
      if (shape.m * shape.n == 0) continue;
      const auto& [_, a, b, c, alpha, beta, values] = product;
      const GemmPlan plan = explain_fused(instances().all, alpha, a.matrix, b.matrix, beta, c.matrix,
                                          [](Index, Index, V v) { return v; });
      CHECK(plan.epilogue);
      CHECK(steps_of(plan).back() == "apply the epilogue");
      algorithms.insert(plan.algorithm);
      swapped += plan.swapped ? 1 : 0, split += plan.split_k > 1 ? 1 : 0, packed += plan.b.repack ? 1 : 0;
    }
  }
  CHECK(algorithms.contains(CpuAlgorithm::unpacked));
  CHECK(algorithms.contains(CpuAlgorithm::panels));
  CHECK(algorithms.contains(CpuAlgorithm::dot_products));
  if (!is_16_bit(type_of<TestType>())) CHECK(algorithms.contains(CpuAlgorithm::skinny_m));
  CHECK(swapped > 0);
  CHECK(split > 0);
  CHECK(packed > 0);
}

TEMPLATE_TEST_CASE("the usual epilogues take Views of all layouts", "[epilogue]", float, double, float16,
                   bfloat16, complex<float>, complex<double>) {
  using T = TestType;
  using V = Scalar<T>;
  using namespace epilogue;
  const Kokkos::OpenMP& exec = instances().all;
  std::mt19937_64 bits(fused_seed + 1);
  for (const GemmShape& shape :
       {GemmShape{9, 11, 4}, {70, 130, 50}, {210, 190, 300}, {2, 900, 40}, {600, 3, 70}}) {
    const auto [m, n, k] = shape;
    const Product<T> product(bits, shape, false);
    const Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> right("right", m, n);
    const Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", m, n),
        vectors("vectors", m + n, 3);
    Stored<T> D(m, n, 4, not_a_number<T>());
    const auto element = [&] { return static_cast<T>(number<V>(static_cast<Index>(bits() % 5) - 2)); };
    D.fill(element);
    const Stored<T> nans(m, n, 2, not_a_number<T>());
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) right(i, j) = left(i, j) = D.matrix(i, j);
    }
    for (Index i = 0; i < m + n; ++i) {
      for (Index j = 0; j < 3; ++j) vectors(i, j) = element();
    }
    using Kokkos::subview, Kokkos::ALL;
    const auto r = subview(vectors, std::pair<Index, Index>(0, m), 1),
               c = subview(vectors, std::pair<Index, Index>(m, m + n), 1);
    const auto with_d = [&](Index i, Index j, V value) {
      return value + V(3) * static_cast<V>(D.matrix(i, j));
    };
    CHECK(same(product.result(exec, plus(3, right)), product.expected(with_d)));
    CHECK(same(product.result(exec, plus(3, left)), product.expected(with_d)));
    CHECK(same(product.result(exec, plus(3, D.matrix)), product.expected(with_d)));
    for (const MatrixRef<const T> unread : {MatrixRef<const T>(nans.matrix), {nullptr, m, n, n, 1}})
      CHECK(
          same(product.result(exec, plus(0, unread)), product.expected([](Index, Index, V v) { return v; })));
    const auto at = [](const auto& x, Index i) { return static_cast<V>(x(static_cast<std::size_t>(i))); };
    CHECK(same(product.result(exec, row_scale(r)),
               product.expected([&](Index i, Index, V v) { return v * at(r, i); })));
    CHECK(same(product.result(exec, col_scale(c)),
               product.expected([&](Index, Index j, V v) { return v * at(c, j); })));
    CHECK(same(product.result(exec, row_bias(VectorRef<T>{&r(0), m, static_cast<Index>(r.stride(0))})),
               product.expected([&](Index i, Index, V v) { return v + at(r, i); })));
    CHECK(same(product.result(exec, col_bias(c)),
               product.expected([&](Index, Index j, V v) { return v + at(c, j); })));
    const auto own = [](Index, Index j, V v) { return j % 2 == 0 ? V(0) : v; };
    CHECK(same(product.result(exec, chain(row_scale(r), plus(2, left), own, col_bias(c))),
               product.expected([&](Index i, Index j, V v) {
                 return own(i, j, v * at(r, i) + V(2) * static_cast<V>(left(i, j))) + at(c, j);
               })));
    if constexpr (detail::is_complex<T>) {
      std::vector<Real<V>> scales(static_cast<std::size_t>(m));
      for (Index i = 0; i < m; ++i) scales[static_cast<std::size_t>(i)] = static_cast<Real<V>>(i % 5);
      const auto scaled = [&](Index i, Index, V v) { return v * V(static_cast<Real<V>>(i % 5)); };
      CHECK(same(product.result(exec, row_scale(VectorRef<Real<V>>{scales.data(), m})),
                 product.expected(scaled)));
    }
  }
}

TEST_CASE("an epilogue inside a parallel region is applied once", "[epilogue]") {
  std::mt19937_64 bits(fused_seed + 2);
  const Product<double> product(bits, {190, 210, 300}, false);
  const auto twice = [](Index, Index, double v) { return 2 * v; };
  const Kokkos::OpenMP& exec = instances().all;
  std::vector<std::vector<double>> results(3);
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 3; ++i) results[static_cast<std::size_t>(i)] = product.result(exec, twice);
  for (const auto& result : results) CHECK(same(result, product.expected(twice)));
}

TEST_CASE("epilogue operands that do not fit C or overlap it are refused", "[epilogue]") {
  using namespace epilogue;
  const Kokkos::OpenMP& exec = instances().all;
  std::vector<float> x(400, 7);
  const std::vector<float> before = x;
  const MatrixRef<const float> a = row_major<const float>(x.data(), 4, 5),
                               b = row_major<const float>(x.data(), 5, 6);
  const MatrixRef<float> c = row_major(x.data() + 100, 4, 6);
  float* const other = x.data() + 200;
  const auto none = [](Index, Index, float v) { return v; };
  const auto check = [&](const auto& e, const std::string& problem, const GemmOptions& options = {}) {
    const std::string text = refused([&] { gemm_fused(exec, 1, a, b, 0, c, e, options); });
    CHECK(refused([&] { static_cast<void>(explain_fused(exec, 1, a, b, 0, c, e, options)); }) == text);
    INFO(text);
    CHECK(text.starts_with(problem));
  };
  const auto overlapping = [&](const char* name, const void* at) {
    return detail::text("C overlaps ", name, " of an epilogue (", static_cast<const void*>(c.data), " and ",
                        at, ")");
  };
  check(plus(1, row_major(other, 6, 4)), "shapes do not conform (D 6 x 4, C 4 x 6)");
  check(plus(0, row_major(other, 4, 5)), "shapes do not conform (D 4 x 5, C 4 x 6)");
  check(plus(1, row_major<float>(nullptr, 4, 6)), "null data of D (4 x 6)");
  check(chain(none, row_scale(VectorRef<float>{other, 6})), "vector of another length (6, C is 4 x 6)");
  check(col_bias(VectorRef<float>{other, 4}), "vector of another length (4, C is 4 x 6)");
  check(col_bias(VectorRef<float>{nullptr, 6}), "null data of a vector (1 x 6)");
  check(plus(1, c), overlapping("D", c.data));
  check(plus(1, row_major(c.data + 23, 4, 6)), overlapping("D", c.data + 23));
  check(plus(1, row_major(reinterpret_cast<double*>(c.data + 22), 4, 6)), overlapping("D", c.data + 22));
  check(chain(plus(0, c), row_bias(VectorRef<float>{c.data + 20, 4})), overlapping("a vector", c.data + 20));
  check(none, "kernel takes no epilogue (naive)", {.kernel = Kernel::naive});
  check(none, "compute mode does not match the element type (fp64, fp32)", {.math = ComputeMode::fp64});
  CHECK(problem([&] { gemm_fused(exec, 1, b, a, 0, c, none); }) ==
        "shapes do not conform (A 5 x 6, B 4 x 5, C 4 x 6)");
  CHECK(x == before);
  std::vector<double> y(100, 1);
  const MatrixRef<double> of_double = row_major(y.data(), 4, 4), result = row_major(y.data() + 50, 4, 4);
  const auto kept = [](Index, Index, double v) { return v; };
  const std::vector group{gemm_args(1.0, of_double, of_double, 0.0, result)};
  const GemmOptions int8{.math = ComputeMode::fp64_int8};
  const std::string other_mode = "compute mode without epilogues (fp64_int8)";
  CHECK(problem([&] { gemm_fused(exec, 1, of_double, of_double, 0, result, kept, int8); }) == other_mode);
  CHECK(problem([&] { gemm_grouped_fused(exec, group, kept, int8); }) == other_mode);
}

TEST_CASE("an epilogue reads a vector beside C in one parent", "[epilogue]") {
  using namespace epilogue;
  std::vector<float> x(40, 1);
  const MatrixRef<const float> a = row_major<const float>(x.data(), 4, 1),
                               b = row_major<const float>(x.data(), 1, 2);
  std::vector<float> parent(5 * 4, 7);
  const MatrixRef<float> c = row_major(parent.data(), 4, 2, 4);
  const VectorRef<float> row{parent.data() + 16, 2}, column{parent.data() + 2, 4, 4};
  gemm_fused(instances().all, 1, a, b, 0, c, chain(row_bias(column), col_bias(row)));
  CHECK(parent == std::vector<float>{15, 15, 7, 7, 15, 15, 7, 7, 15, 15, 7, 7, 15, 15, 7, 7, 7, 7, 7, 7});
  const VectorRef<float> own_column{parent.data() + 1, 4, 4};
  CHECK_FALSE(refused([&] { gemm_fused(instances().all, 1, a, b, 0, c, row_bias(own_column)); }).empty());
}

/// Larger than a thread's stack.
struct TableEpilogue {
  std::array<float, 1 << 22> table;

  float operator()(Index i, Index j, float value) const {
    return value + table[static_cast<std::size_t>(i * 7 + j)];
  }
};

TEST_CASE("an epilogue may be larger than the stack", "[epilogue]") {
  const auto e = std::make_unique<TableEpilogue>();
  for (std::size_t i = 0; i < 100; ++i) e->table[i] = static_cast<float>(i);
  std::vector<float> x(4, 1), c(4);
  gemm_fused(instances().all, 1, row_major<const float>(x.data(), 2, 1),
             row_major<const float>(x.data(), 1, 2), 0, row_major(c.data(), 2, 2), *e);
  CHECK(c == std::vector<float>{1, 2, 8, 9});
}

}  // namespace
}  // namespace rooftile::testing
