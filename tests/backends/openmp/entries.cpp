// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Epilogues of batches and groups on CPUs: one call per element, equal bits for any number of threads,
// refusals.
#include <numeric>
#include <string>

#include <catch2/catch_template_test_macros.hpp>

#include "fused_product.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

enum class Place { apart, interleaved, pointers, nested, shared };

/// An operand of a batch, in its own memory.
template <class T>
struct Operand {
  std::vector<T> memory;
  std::vector<T*> addresses;
  BatchRef<T> batch;

  Operand(std::mt19937_64& bits, Index rows, Index cols, Index count, Place place, T filling) {
    const Stored<T> one(rows, cols, static_cast<int>(bits() % 6), filling);
    const auto each = static_cast<Index>(one.memory.size());
    const Index first = one.matrix.data - one.memory.data();
    memory.assign(static_cast<std::size_t>(each * count), filling);
    batch = {one.matrix.at(memory.data() + first), each, count};
    if (place == Place::shared) batch.stride = 0;
    if (place == Place::nested && count % 2 == 0)
      batch = nested_batch(batch.first, count / 2, each, 2, count / 2 * each);
    if (place == Place::interleaved) {
      batch.stride = 1, batch.first.data = memory.data() + first * count;
      batch.first.row_stride *= count, batch.first.col_stride *= count;
    }
    if (place != Place::pointers) return;
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::shuffle(order.begin(), order.end(), bits);
    for (const Index i : order) addresses.push_back(memory.data() + i * each + first);
    batch = pointer_batch(addresses.data(), batch.first, count);
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  template <class Draw>
  void fill(const Draw& draw) {
    for (Index e = 0; e < batch.count; ++e) {
      const MatrixRef<T> X = batch[e];
      for (Index i = 0; i < X.rows; ++i) {
        for (Index j = 0; j < X.cols; ++j) X(i, j) = draw();
      }
    }
  }
};

Place place_of(std::mt19937_64& bits, int kinds) {
  return static_cast<Place>(bits() % static_cast<unsigned>(kinds));
}

/// Products of one shape and of small integers, so that all sums are exact.
template <class T>
struct Entries {
  using V = Scalar<T>;
  GemmShape shape;
  Operand<T> A, B, C;
  V alpha, beta;
  std::vector<T> before;
  std::string places;

  Entries(std::mt19937_64& bits, const GemmShape& s, Index count)
      : Entries(bits, s, count, place_of(bits, 5), place_of(bits, 5), place_of(bits, 4)) {}
  Entries(std::mt19937_64& bits, const GemmShape& s, Index count, Place a, Place b, Place c)
      : shape(s),
        A(bits, s.m, s.k, count, a, not_a_number<T>()),
        B(bits, s.k, s.n, count, b, not_a_number<T>()),
        C(bits, s.m, s.n, count, c, number<T>(77)) {
    const auto draw = [&](int most) { return static_cast<Index>(bits() % (2 * most + 1)) - most; };
    const auto element = [&] { return static_cast<T>(number<V>(draw(2), draw(2))); };
    A.fill(element), B.fill(element), C.fill(element);
    alpha = number<V>(draw(2), draw(1)), beta = number<V>(bits() % 2 == 0 ? 0 : draw(1), draw(1));
    if (alpha == V(0)) A.fill(not_a_number<T>), B.fill(not_a_number<T>);
    if (beta == V(0)) C.fill(not_a_number<T>);
    if constexpr (detail::is_complex<T>) {
      if (bits() % 2 == 0) A.batch = A.batch.conjugated();
      if (bits() % 2 == 0) B.batch = B.batch.conjugated();
      if (bits() % 4 == 0) C.batch = C.batch.conjugated();
    }
    before = C.memory;
    for (const Place place : {a, b, c}) places += detail::text(' ', static_cast<int>(place));
  }

  /// Calls gemm_batched_fused on the initial C.
  /// @return the memory of C
  template <class Epilogue>
  std::vector<T> result(const Kokkos::OpenMP& exec, const Epilogue& epilogue) {
    C.memory = before;
    gemm_batched_fused(exec, alpha, BatchRef<const T>(A.batch), BatchRef<const T>(B.batch), beta, C.batch,
                       epilogue);
    return C.memory;
  }
  /// @param f(entry, i, j, value)  the epilogue
  /// @return the expected memory of C
  template <class F>
  std::vector<T> expected(const F& f) {
    C.memory = before;
    for (Index e = 0; e < C.batch.count; ++e) {
      const MatrixRef<T> c = C.batch[e];
      const std::vector<V> values = values_of<T>({alpha, A.batch[e], B.batch[e], beta, c});
      for (Index i = 0; i < shape.m; ++i) {
        for (Index j = 0; j < shape.n; ++j) {
          const V value = values[static_cast<std::size_t>(i * shape.n + j)];
          c(i, j) = detail::conjugated_if(detail::reads_conjugates(c), static_cast<T>(f(e, i, j, value)));
        }
      }
    }
    return C.memory;
  }
};

/// Returns 2·value + 300·entry + 20·i + j and counts each call.
template <class V>
struct EntryProbe {
  std::atomic<int>* calls;      // of all entries, one after the other
  const Index* begins;          // of each entry's calls
  const GemmShape* shapes;      // of each entry
  std::atomic<Index>* fetched;  // elements; negative after a prefetch outside C

  V operator()(Index entry, Index i, Index j, V value) const {
    const auto [m, n, k] = shapes[entry];
    const bool inside = i >= 0 && j >= 0 && i < m && j < n;
    calls[begins[entry] + (inside ? i * n + j : 0)].fetch_add(inside ? 1 : 1000, std::memory_order_relaxed);
    return changed(entry, i, j, value);
  }
  void prefetch(Index entry, Index row, Index col, Index height, Index width) const {
    const auto [m, n, k] = shapes[entry];
    const bool inside = row >= 0 && col >= 0 && row + height <= m && col + width <= n;
    fetched->fetch_add(inside ? height * width : -m * n);
  }
  static V changed(Index entry, Index i, Index j, V value) {
    return value + value + number<V>(300 * entry + 20 * i + j);
  }
};

/// Counts the epilogue's calls in several products.
struct Calls {
  std::vector<std::atomic<int>> calls;
  std::vector<Index> begins;
  std::vector<GemmShape> shapes;
  std::atomic<Index> fetched = 0;

  explicit Calls(const std::vector<GemmShape>& all) : shapes(all) {
    Index size = 0;
    for (const auto& [m, n, k] : all) begins.push_back(size), size += m * n;
    calls = std::vector<std::atomic<int>>(static_cast<std::size_t>(size));
  }
  template <class V>
  EntryProbe<V> probe() {
    return {calls.data(), begins.data(), shapes.data(), &fetched};
  }
  bool once() const {
    return std::all_of(calls.begin(), calls.end(), [](const auto& count) { return count == 1; });
  }
  bool fetched_inside() const { return fetched >= 0 && fetched <= static_cast<Index>(calls.size()); }
};

/// Shapes and counts that cover every algorithm: products by one thread each, and products by all threads
/// together.
struct Many {
  GemmShape shape;
  Index count;
};
constexpr Many many[] = {{{1, 1, 1}, 9},     {{4, 4, 4}, 60},     {{16, 16, 16}, 40},   {{7, 5, 9}, 33},
                         {{30, 28, 31}, 50}, {{70, 64, 80}, 12},  {{61, 1, 300}, 7},    {{2, 900, 45}, 3},
                         {{3, 401, 200}, 6}, {{130, 170, 90}, 3}, {{210, 190, 300}, 2}, {{20, 24, 2000}, 3},
                         {{9, 11, 0}, 5},    {{64, 64, 64}, 1},   {{0, 5, 6}, 4},       {{5, 6, 7}, 0}};

TEMPLATE_TEST_CASE("an epilogue of a batch gets each element once, with its entry", "[entries]", float,
                   double, float16, bfloat16, complex<float>, complex<double>) {
  using T = TestType;
  using V = Scalar<T>;
  std::mt19937_64 bits(fused_seed);
  for (int round = 0; round < 3; ++round) {
    for (const auto& [shape, count] : many) {
      Entries<T> entries(bits, shape, count);
      INFO("round " << round << ", " << count << " of " << to_string(shape) << ", places" << entries.places);
      const std::vector<T> expected = entries.expected(&EntryProbe<V>::changed);
      for (const Kokkos::OpenMP* exec : {&instances().all, &instances().one, &instances().three}) {
        Calls calls(std::vector<GemmShape>(static_cast<std::size_t>(count), shape));
        CHECK(same(entries.result(*exec, calls.probe<V>()), expected));
        CHECK(calls.once());
        CHECK(calls.fetched_inside());
      }
      const auto all_alike = [](Index i, Index j, V v) { return v + number<V>(i - j); };
      CHECK(same(entries.result(instances().all, all_alike),
                 entries.expected([&](Index, Index i, Index j, V v) { return all_alike(i, j, v); })));
    }
  }
}

TEMPLATE_TEST_CASE("an epilogue of a group gets each element once, with its entry", "[entries]", float,
                   double, float16, bfloat16, complex<float>, complex<double>) {
  using T = TestType;
  using V = Scalar<T>;
  std::mt19937_64 bits(fused_seed + 1);
  for (const int size : {0, 1, 5, 40, 90}) {
    INFO(size << " products");
    std::vector<Product<T>> products;
    std::vector<GemmShape> shapes;
    const Index most = size == 5 ? 260 : 50;
    for (int e = 0; e < size; ++e) {
      const auto extent = [&] { return static_cast<Index>(bits() % static_cast<unsigned>(most)); };
      shapes.push_back({extent(), extent(), bits() % 8 == 0 ? 0 : extent()});
      products.emplace_back(bits, shapes.back(), detail::is_complex<T>);
    }
    std::vector<std::vector<T>> expected;
    for (std::size_t e = 0; e < products.size(); ++e) {
      expected.push_back(products[e].expected(
          [&](Index i, Index j, V v) { return EntryProbe<V>::changed(static_cast<Index>(e), i, j, v); }));
    }
    for (const Kokkos::OpenMP* exec : {&instances().all, &instances().one, &instances().three}) {
      std::vector<std::vector<T>> memory;
      for (const Product<T>& product : products) memory.push_back(product.C.memory);
      std::vector<GemmArgs<T>> group;
      for (std::size_t e = 0; e < products.size(); ++e) {
        const Product<T>& p = products[e];
        group.push_back({p.alpha, p.A.matrix, p.B.matrix, p.beta, p.in(memory[e])});
      }
      Calls calls(shapes);
      gemm_grouped_fused(*exec, group, calls.probe<V>());
      CHECK(calls.once());
      CHECK(calls.fetched_inside());
      for (std::size_t e = 0; e < products.size(); ++e) CHECK(same(memory[e], expected[e]));
    }
  }
}

TEMPLATE_TEST_CASE("the usual epilogues take operands of each entry", "[entries]", float, double, float16,
                   bfloat16, complex<float>, complex<double>) {
  using T = TestType;
  using V = Scalar<T>;
  using namespace epilogue;
  const Kokkos::OpenMP& exec = instances().all;
  std::mt19937_64 bits(fused_seed + 2);
  for (const auto& [shape, count] : many) {
    const auto [m, n, k] = shape;
    INFO(count << " of " << to_string(shape));
    Entries<T> entries(bits, shape, count);
    const auto element = [&] { return static_cast<T>(number<V>(static_cast<Index>(bits() % 5) - 2)); };
    Operand<T> apart(bits, m, n, count, Place::apart, not_a_number<T>()),
        anywhere(bits, m, n, count, Place::pointers, not_a_number<T>());
    apart.fill(element);
    const Kokkos::View<T***, Kokkos::LayoutLeft, Kokkos::HostSpace> Ds("Ds", count, m, n);
    const Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace> rows("rows", count, m);
    const Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace> cols("cols", count, n);
    for (Index e = 0; e < count; ++e) {
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < n; ++j) Ds(e, i, j) = anywhere.batch[e](i, j) = apart.batch[e](i, j);
      }
      for (Index i = 0; i < m; ++i) rows(e, i) = element();
      for (Index j = 0; j < n; ++j) cols(e, j) = element();
    }
    const auto with_d = [&](Index e, Index i, Index j, V v) {
      return v + V(3) * static_cast<V>(apart.batch[e](i, j));
    };
    CHECK(same(entries.result(exec, plus(3, apart.batch)), entries.expected(with_d)));
    CHECK(same(entries.result(exec, plus(3, anywhere.batch)), entries.expected(with_d)));
    CHECK(same(entries.result(exec, plus(3, Ds)), entries.expected(with_d)));
    const auto own = [](Index e, Index i, Index, V v) { return (e + i) % 2 == 0 ? V(0) : v; };
    const auto halves = [](Index i, Index j, V v) { return (i + j) % 2 == 0 ? v : v + v; };
    const VectorBatch<T> scales{{rows.data(), m, 1}, m, count};
    CHECK(same(entries.result(exec, chain(row_scale(scales), plus(2, Ds), own, halves, col_bias(cols))),
               entries.expected([&](Index e, Index i, Index j, V v) {
                 v = v * static_cast<V>(rows(e, i)) + V(2) * static_cast<V>(Ds(e, i, j));
                 return halves(i, j, own(e, i, j, v)) + static_cast<V>(cols(e, j));
               })));
    if (count == 0) continue;
    const auto r = Kokkos::subview(rows, count - 1, Kokkos::ALL);  // one vector for all entries
    const MatrixRef<T> D = apart.batch[0];
    CHECK(same(entries.result(exec, chain(row_bias(r), plus(2, D))),
               entries.expected([&](Index, Index i, Index j, V v) {
                 return v + static_cast<V>(r(static_cast<std::size_t>(i))) + V(2) * static_cast<V>(D(i, j));
               })));
  }
}

TEST_CASE("a batch with an epilogue is not merged into one product", "[entries]") {
  std::vector<float> a(4 * 8 * 8, 1), c(4 * 8 * 8);
  const BatchRef<const float> A{row_major<const float>(a.data(), 8, 8), 64, 4};
  const BatchRef<float> C{row_major(c.data(), 8, 8), 64, 4};
  const auto shared = row_major<const float>(a.data(), 8, 8);  // one B: the entries form one tall product
  const auto entry = [](Index e, Index, Index, float) { return static_cast<float>(e); };
  const GemmPlan plan = explain_fused(instances().all, 1, A, shared, 0, C, entry);
  CHECK((plan.epilogue && plan.desc.count == 4 && plan.desc.shape == GemmShape{8, 8, 8}));
  gemm_batched_fused(instances().all, 1, A, shared, 0, C, entry);
  for (std::size_t i = 0; i < c.size(); ++i) CHECK(c[i] == static_cast<float>(i / 64));
}

TEST_CASE("epilogue operands that do not fit or that overlap C are refused in batches and groups",
          "[entries]") {
  using namespace epilogue;
  const Kokkos::OpenMP& exec = instances().all;
  std::vector<float> x(2000, 7);
  const std::vector<float> before = x;
  const BatchRef<const float> A{row_major<const float>(x.data(), 4, 5), 20, 3},
      B{row_major<const float>(x.data() + 100, 5, 6), 30, 3};
  const BatchRef<float> C{row_major(x.data() + 200, 4, 6), 24, 3};
  float* const d = x.data() + 400;
  const float* const c = C.first.data;
  const auto matrices = [](float* data, Index rows, Index cols, Index count) {
    return plus(1, BatchRef<float>{row_major(data, rows, cols), 24, count});
  };
  const auto overlapping = [](const char* name, const float* in_c, const void* other) {
    return detail::text("C overlaps ", name, " of an epilogue (", static_cast<const void*>(in_c), " and ",
                        other, ")");
  };
  const auto none = [](Index, Index, float v) { return v; };
  const auto check = [&](const auto& e, const std::string& problem) {
    const std::string text = refused([&] { gemm_batched_fused(exec, 1, A, B, 0, C, e); });
    CHECK(refused([&] { static_cast<void>(explain_fused(exec, 1, A, B, 0, C, e)); }) == text);
    INFO(text);
    CHECK(text.starts_with(problem));
  };
  check(matrices(d, 4, 6, 2), "numbers of matrices D and of products differ (2 and 3)");
  check(chain(none, row_bias(VectorBatch<float>{{d, 4}, 4, 4})),
        "numbers of vectors and of products differ (4 and 3)");
  check(matrices(d, 6, 4, 3), "shapes do not conform (D");
  check(matrices(nullptr, 4, 6, 3), "null data of D");
  check(row_scale(VectorBatch<float>{{d, 6}, 6, 3}), "vector of another length (6");
  check(plus(1, C[2]), overlapping("D", c, c + 48));  // one of C's own matrices
  check(matrices(x.data() + 271, 4, 6, 3), overlapping("D", c, c + 71));
  check(col_bias(VectorRef<float>{x.data() + 266, 6}), overlapping("a vector", c, c + 66));
  check(col_bias(VectorBatch<float>{{x.data() + 183, 6}, 6, 3}),
        overlapping("a vector", c, x.data() + 183));  // the last number of the last vector is the first of C

  std::vector<GemmArgs<float>> group;
  for (Index e = 0; e < 3; ++e) group.push_back({1, A[e], B[e], 0, C[e]});
  const auto check_group = [&](const auto& e, const std::string& problem, const GemmOptions& options = {}) {
    const std::string text = refused([&] { gemm_grouped_fused(exec, group, e, options); });
    INFO(text);
    CHECK(text.starts_with(problem));
  };
  const std::string product = " of 3, counted from 0: ";
  check_group(matrices(d, 4, 6, 2), "product 2" + product + "more products than matrices D (2)");
  check_group(plus(1, C[1]), "product 1" + product + overlapping("D", C[1].data, C[1].data));
  check_group(none, "kernel takes no epilogue (naive)", {.kernel = Kernel::naive});
  group[1].B.rows = 4;
  check_group(none, "product 1" + product + "shapes do not conform (A 4 x 5, B 4 x 6, C 4 x 6)");
  CHECK(x == before);
}

}  // namespace
}  // namespace rooftile::testing
