// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What `gemm_fused` promises of epilogues on CPUs: each element once, with its own row and column and the sum
// that is not yet rounded, whichever way the product is computed; the same bits for any number of threads;
// and what it refuses.
#include <array>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "rooftile/fused.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

constexpr std::uint64_t seed = 20261124;

/// Kokkos' instances of all threads and of some, which tests/backends/CMakeLists.txt has four of.
struct Instances {
  Kokkos::ScopeGuard kokkos;
  Kokkos::OpenMP all, one{1}, three{3};
};
const Instances& instances() {
  static const Instances found;
  return found;
}

template <class V>
V number(Index re, Index im = 0) {
  if constexpr (detail::is_complex<V>) {
    return {static_cast<Real<V>>(re), static_cast<Real<V>>(im)};
  } else {
    return static_cast<V>(re);
  }
}
template <class T>
T not_a_number() {
  return static_cast<T>(std::numeric_limits<Scalar<T>>::quiet_NaN());
}

/// A matrix in memory of its own, between elements that nobody may touch.
template <class T>
struct Stored {
  std::vector<T> memory;
  MatrixRef<T> matrix;

  /// @param layout  0: by rows, 1: by columns, 2: rows apart, 3: columns apart, 4: with both strides, 5:
  /// upwards
  Stored(Index rows, Index cols, int layout, T filling) {
    Index row_stride = cols, col_stride = 1;
    if (layout == 1 || layout == 3) row_stride = 1, col_stride = layout == 3 ? rows + 5 : rows;
    if (layout == 2 || layout == 5) row_stride = cols + 3;
    if (layout == 4) row_stride = 2 * cols + 1, col_stride = 2;
    memory.assign(static_cast<std::size_t>(rows * std::abs(row_stride) + cols * std::abs(col_stride) + 8),
                  filling);
    T* first = memory.data() + 4;
    if (layout == 5 && rows > 0) first += (rows - 1) * row_stride, row_stride = -row_stride;
    matrix = {first, rows, cols, row_stride, col_stride};
  }
  template <class Draw>
  void fill(const Draw& draw) {
    for (Index i = 0; i < matrix.rows; ++i) {
      for (Index j = 0; j < matrix.cols; ++j) matrix(i, j) = draw();
    }
  }
};

/// 2·value + 1000·i + j, and a mark for each call.
template <class V>
struct Probe {
  std::atomic<int>* calls;  // (rows,cols)
  Index rows, cols;
  std::atomic<Index>* fetched;  // elements; less than 0: of some that there are not

  V operator()(Index i, Index j, V value) const {
    calls[i * cols + j].fetch_add(1, std::memory_order_relaxed);
    return value + value + number<V>(1000 * i + j);
  }
  void prefetch(Index row, Index col, Index height, Index width) const {
    const bool inside = row >= 0 && col >= 0 && row + height <= rows && col + width <= cols;
    fetched->fetch_add(inside ? height * width : -rows * cols);
  }
};

/// A product of small whole numbers, so that all sums are exact, and its result by the definition.
template <class T>
struct Product {
  using V = Scalar<T>;
  GemmShape shape;
  Stored<T> A, B, C;
  V alpha, beta;
  std::vector<V> values;  // (m,n) alpha·A·B + beta·C

  Product(std::mt19937_64& bits, const GemmShape& s, bool conjugates)
      : shape(s),
        A(s.m, s.k, layout(bits), not_a_number<T>()),
        B(s.k, s.n, layout(bits), not_a_number<T>()),
        C(s.m, s.n, layout(bits), number<T>(77)) {
    const auto draw = [&](int most) { return static_cast<Index>(bits() % (2 * most + 1)) - most; };
    const auto element = [&] { return static_cast<T>(number<V>(draw(2), draw(2))); };
    A.fill(element), B.fill(element), C.fill(element);
    alpha = number<V>(bits() % 6 == 0 ? 0 : draw(2), draw(1)), beta = number<V>(draw(1), draw(1));
    if (bits() % 6 == 0) alpha = number<V>(0);
    if (bits() % 2 == 0) beta = number<V>(0);
    if (alpha == V(0)) A.fill(not_a_number<T>), B.fill(not_a_number<T>);
    if (beta == V(0)) C.fill(not_a_number<T>);
    if (conjugates) {
      if (bits() % 2 == 0) A.matrix = A.matrix.conjugated();
      if (bits() % 2 == 0) B.matrix = B.matrix.conjugated();
      if (bits() % 4 == 0) C.matrix = C.matrix.conjugated();
    }
    define();
  }

  V value(Index i, Index j) const { return values[static_cast<std::size_t>(i * shape.n + j)]; }

  /// Calls gemm_fused with C in other memory. @return that
  template <class Epilogue>
  std::vector<T> result(const Kokkos::OpenMP& exec, const Epilogue& epilogue) const {
    std::vector<T> memory = C.memory;
    gemm_fused(exec, alpha, MatrixRef<const T>(A.matrix), MatrixRef<const T>(B.matrix), beta, in(memory),
               epilogue);
    return memory;
  }
  /// C in a copy of its memory.
  MatrixRef<T> in(std::vector<T>& memory) const {
    return C.matrix.at(memory.data() + (C.matrix.data - C.memory.data()));
  }
  /// What that memory is to be. @param f(i, j, value)
  template <class F>
  std::vector<T> expected(const F& f) const {
    std::vector<T> memory = C.memory;
    const MatrixRef<T> c = in(memory);
    for (Index i = 0; i < shape.m; ++i) {
      for (Index j = 0; j < shape.n; ++j)
        c(i, j) = detail::conjugated_if(detail::reads_conjugates(c), static_cast<T>(f(i, j, value(i, j))));
    }
    return memory;
  }

 private:
  static int layout(std::mt19937_64& bits) { return static_cast<int>(bits() % 12) % 6; }

  void define() {
    const auto [m, n, k] = shape;
    values.assign(static_cast<std::size_t>(m * n), V(0));
    std::vector<V> row(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(k * n));
    for (Index l = 0; l < k; ++l) {
      for (Index j = 0; j < n; ++j)
        b[static_cast<std::size_t>(l * n + j)] = static_cast<V>(B.matrix.value(l, j));
    }
    for (Index i = 0; i < m; ++i) {
      std::fill(row.begin(), row.end(), V(0));
      for (Index l = 0; alpha != V(0) && l < k; ++l) {
        const V a = static_cast<V>(A.matrix.value(i, l));
        const V* const from = b.data() + l * n;
        for (Index j = 0; j < n; ++j) detail::multiply_add(row[static_cast<std::size_t>(j)], a, from[j]);
      }
      for (Index j = 0; j < n; ++j) {
        V& x = values[static_cast<std::size_t>(i * n + j)];
        if (alpha != V(0) && k > 0) x = alpha * row[static_cast<std::size_t>(j)];
        if (beta != V(0)) x = x + beta * static_cast<V>(C.matrix.value(i, j));
      }
    }
  }
};

/// The same elements bit for bit, but that any NaN is NaN.
template <class T>
bool same(const std::vector<T>& x, const std::vector<T>& y) {
  const auto equal = [](const T& a, const T& b) {
    const auto p = static_cast<Scalar<T>>(a), q = static_cast<Scalar<T>>(b);
    return p == q || (!(p == p) && !(q == q));
  };
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
}

/// Shapes that are computed in all the ways that there are, and their transposes.
constexpr GemmShape shapes[] = {
    {1, 1, 1},      {5, 6, 7},       {16, 16, 16},    {17, 3, 9},     {33, 47, 29},   {64, 64, 64},
    {100, 100, 90}, {61, 1, 300},    {70, 3, 64},     {2100, 2, 40},  {40, 2, 3000},  {3, 1001, 700},
    {2, 9001, 45},  {4, 5000, 300},  {1, 70, 1100},   {20, 24, 5000}, {130, 170, 90}, {300, 70, 40},
    {301, 203, 0},  {210, 190, 700}, {400, 330, 180}, {0, 5, 6},      {5, 0, 6},      {1030, 50, 20},
    {9, 1300, 70},  {97, 101, 103},  {1, 257, 2},     {257, 1, 2}};

TEMPLATE_TEST_CASE("an epilogue gets each element once, with its place and its sum", "[fused]", float, double,
                   float16, bfloat16, complex<float>, complex<double>) {
  using V = Scalar<TestType>;
  std::mt19937_64 bits(seed);
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
        CHECK((fetched == 0 || fetched == shape.m * shape.n));  // of large products, once
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
      swapped += plan.swapped ? 1 : 0, split += plan.splits > 1 ? 1 : 0, packed += plan.b.repack ? 1 : 0;
    }
  }
  CHECK(algorithms.contains(CpuAlgorithm::in_place));
  CHECK(algorithms.contains(CpuAlgorithm::panels));
  CHECK(algorithms.contains(CpuAlgorithm::dot_products));
  if (!is_16_bit(type_of<TestType>())) CHECK(algorithms.contains(CpuAlgorithm::few_rows));
  CHECK(swapped > 0);
  CHECK(split > 0);
  CHECK(packed > 0);
}

TEMPLATE_TEST_CASE("the usual epilogues, by Views of all layouts", "[fused]", float, double, float16,
                   bfloat16, complex<float>, complex<double>) {
  using T = TestType;
  using V = Scalar<T>;
  using namespace epilogue;
  const Kokkos::OpenMP& exec = instances().all;
  std::mt19937_64 bits(seed + 1);
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
    const VectorRef<T> across{&vectors(0, 0), 3, static_cast<Index>(vectors.stride(1))};
    CHECK(across.size == 3);
    const auto with_d = [&](Index i, Index j, V value) {
      return value + V(3) * static_cast<V>(D.matrix(i, j));
    };
    CHECK(same(product.result(exec, plus(3, right)), product.expected(with_d)));
    CHECK(same(product.result(exec, plus(3, left)), product.expected(with_d)));
    CHECK(same(product.result(exec, plus(3, D.matrix)), product.expected(with_d)));
    CHECK(same(product.result(exec, plus(0, nans.matrix)),
               product.expected([](Index, Index, V v) { return v; })));
    CHECK(same(product.result(exec, plus(0, MatrixRef<const T>{nullptr, m, n, n, 1})),
               product.expected([](Index, Index, V v) { return v; })));
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

TEST_CASE("an epilogue inside a parallel region", "[fused]") {
  std::mt19937_64 bits(seed + 2);
  const Product<double> product(bits, {190, 210, 300}, false);
  const auto twice = [](Index, Index, double v) { return 2 * v; };
  const Kokkos::OpenMP& exec = instances().all;
  std::vector<std::vector<double>> results(3);
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 3; ++i) results[static_cast<std::size_t>(i)] = product.result(exec, twice);
  for (const auto& result : results) CHECK(same(result, product.expected(twice)));
}

TEST_CASE("what gemm_fused refuses", "[fused]") {
  using namespace epilogue;
  const Kokkos::OpenMP& exec = instances().all;
  std::vector<float> x(400, 7);
  const std::vector<float> before = x;
  const MatrixRef<const float> a = row_major<const float>(x.data(), 4, 5),
                               b = row_major<const float>(x.data(), 5, 6);
  const MatrixRef<float> c = row_major(x.data() + 100, 4, 6);
  const auto refusal = [&](const auto& e, const GemmOptions& options = {}) {
    const std::string text = refused([&] { gemm_fused(exec, 1, a, b, 0, c, e, options); });
    CHECK(refused([&] { static_cast<void>(explain_fused(exec, 1, a, b, 0, c, e, options)); }) == text);
    return text;
  };
  const auto none = [](Index, Index, float v) { return v; };
  CHECK(refusal(plus(1, row_major(x.data() + 200, 6, 4))) ==
        "shapes do not conform (D 6 x 4, C 4 x 6): give a D of C's shape");
  CHECK(refusal(plus(0, row_major(x.data() + 200, 4, 5))) ==
        "shapes do not conform (D 4 x 5, C 4 x 6): give a D of C's shape");
  CHECK(refusal(plus(1, row_major<float>(nullptr, 4, 6))) ==
        "null data of D (4 x 6): allocate the matrix first");
  CHECK(refusal(chain(none, row_scale(VectorRef<float>{x.data() + 200, 6}))) ==
        "vector of another length (6, C is 4 x 6): give a number for each row");
  CHECK(refusal(col_bias(VectorRef<float>{x.data() + 200, 4})) ==
        "vector of another length (4, C is 4 x 6): give a number for each column");
  CHECK(refusal(col_bias(VectorRef<float>{nullptr, 6})) ==
        "null data of a vector (1 x 6): allocate the matrix first");
  const auto overlapping = [&](const char* name, const void* other) {
    return detail::text("C overlaps ", name, " of an epilogue (", static_cast<const void*>(c.data), " and ",
                        other, "): add C's own elements by beta, and read nothing else of it");
  };
  CHECK(refusal(plus(1, c)) == overlapping("D", c.data));
  CHECK(refusal(plus(1, row_major(c.data + 23, 4, 6))) == overlapping("D", c.data + 23));
  CHECK(refusal(plus(1, row_major(reinterpret_cast<double*>(c.data + 22), 4, 6))) ==
        overlapping("D", c.data + 22));
  CHECK(refusal(chain(plus(0, c), row_bias(VectorRef<float>{c.data + 20, 4}))) ==
        overlapping("a vector", c.data + 20));
  CHECK(refusal(none, {.kernel = Kernel::naive}) == "kernel takes no epilogue (naive): name packed, or none");
  CHECK(refusal(none, {.math = Math::fp64}) ==
        "math mode not for the element type (fp64, fp32): take one of fp32, tf32, tf32x3");
  CHECK(refused([&] { gemm_fused(exec, 1, b, a, 0, c, none); }) ==
        "shapes do not conform (A 5 x 6, B 4 x 5, C 4 x 6): C (m,n) needs A (m,k) and B (k,n)");
  const MatrixRef<float> own = row_major(x.data() + 10, 4, 6);
  CHECK(refused([&] { gemm_fused(exec, 1, a, b, 0, own, none); }) == overlap_with("A", a, own));
  CHECK(x == before);
}

TEST_CASE("a vector beside C in one parent is read", "[fused]") {
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

/// More than a thread's stack holds.
struct TableEpilogue {
  std::array<float, 1 << 22> table;

  float operator()(Index i, Index j, float value) const {
    return value + table[static_cast<std::size_t>(i * 7 + j)];
  }
};

TEST_CASE("an epilogue may be larger than the stack", "[fused]") {
  const auto e = std::make_unique<TableEpilogue>();
  for (std::size_t i = 0; i < 100; ++i) e->table[i] = static_cast<float>(i);
  std::vector<float> x(4, 1), c(4);
  gemm_fused(instances().all, 1, row_major<const float>(x.data(), 2, 1),
             row_major<const float>(x.data(), 1, 2), 0, row_major(c.data(), 2, 2), *e);
  CHECK(c == std::vector<float>{1, 2, 8, 9});
}

}  // namespace
}  // namespace rooftile::testing
