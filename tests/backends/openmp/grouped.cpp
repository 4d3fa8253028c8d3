// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Groups on CPUs: equal bits for any number of threads and as from `gemm`, and `explain` matches the
// execution.
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "rooftile/gemm_grouped.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

/// Products of arbitrary numbers. Their elements are stored one product after the other.
template <class T>
struct Products {
  std::vector<GemmShape> shapes;
  std::vector<In<T>> a, b;
  std::vector<Out<T>> c;

  explicit Products(unsigned seed) {
    std::mt19937 bits(seed);
    const auto extent = [&](Index most) { return std::uniform_int_distribution<Index>(1, most)(bits); };
    for (int i = 0; i < 150; ++i) shapes.push_back({extent(40), extent(40), extent(40)});
    for (int i = 0; i < 12; ++i) shapes.push_back({extent(200), extent(200), extent(200)});
    for (const GemmShape& large : {GemmShape{600, 500, 400}, {3, 900, 2000}, {900, 2, 3000}, {40, 40, 9000}})
      shapes.push_back(large);
    Index as = 0, bs = 0, cs = 0;
    for (const auto& [m, n, k] : shapes) as += m * k, bs += k * n, cs += m * n;
    a = random<In<T>>(as, 1), b = random<In<T>>(bs, 2), c = random<Out<T>>(cs, 3);
  }

  /// The products with these A and B, and with C in `other`.
  std::vector<GemmArgs<T>> with(std::vector<Out<T>>& other) const {
    std::vector<GemmArgs<T>> products;
    const In<T>*next_a = a.data(), *next_b = b.data();
    Out<T>* next_c = other.data();
    constexpr float alpha = std::is_integral_v<Out<T>> ? 3 : 0.7F,
                    beta = std::is_integral_v<Out<T>> ? 2 : 0.3F;
    for (const auto& [m, n, k] : shapes) {
      const auto A = products.size() % 2 == 0 ? row_major(next_a, m, k) : column_major(next_a, m, k);
      const auto B = products.size() % 3 == 0 ? column_major(next_b, k, n) : row_major(next_b, k, n);
      products.push_back({Scalar<T>(alpha), A, B, Scalar<T>(beta), row_major(next_c, m, n)});
      next_a += m * k, next_b += k * n, next_c += m * n;
    }
    return products;
  }
};

template <class T>
std::vector<Out<T>> computed(const Kokkos::OpenMP& exec, const Products<T>& products) {
  std::vector<Out<T>> c = products.c;
  gemm_grouped(exec, products.with(c));
  exec.fence();
  return c;
}

using AllProducts = decltype(std::tuple_cat(Elements(), MixedProducts()));

TEMPLATE_LIST_TEST_CASE("groups have the bits that gemm has, by any number of threads", "[grouped]",
                        AllProducts) {
  instance();
  const Kokkos::OpenMP one(1), three(3);
  const Products<TestType> products(1);
  const std::vector<Out<TestType>> by_all = computed(instance(), products);
  CHECK((computed(one, products) == by_all));
  CHECK((computed(three, products) == by_all));
  std::vector<Out<TestType>> apart = products.c;
  for (const auto& [alpha, A, B, beta, C] : products.with(apart)) gemm(instance(), alpha, A, B, beta, C);
  instance().fence();
  CHECK((apart == by_all));
  std::vector<Out<TestType>> inside = products.c;
  const std::vector<GemmArgs<TestType>> group = products.with(inside);
#pragma omp parallel num_threads(2)
#pragma omp single
  gemm_grouped(instance(), group);
  CHECK((inside == by_all));
}

TEST_CASE("a group of Views is made by gemm_args, and explain_grouped says who computes", "[grouped]") {
  const Kokkos::OpenMP& exec = instance();
  REQUIRE(exec.concurrency() == 4);
  using View = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  std::vector<View> views;
  std::vector<GemmArgs<double>> group;
  for (int i = 0; i < 600; ++i) {
    const int n = i == 7 ? 700 : i == 8 ? 0 : 20;
    const View A("A", n, n), B("B", n, n), C("C", n, n);
    Kokkos::deep_copy(A, 1), Kokkos::deep_copy(B, 2);
    views.insert(views.end(), {A, B, C});
    group.push_back(gemm_args<Kokkos::OpenMP>(1.0, A, B, 0.0, C));
  }
  const std::span<const GemmArgs<double>> products(group);
  const std::vector<GemmPlan> plans = explain_grouped(exec, products);
  REQUIRE(plans.size() == 600);
  CHECK((plans[7].threads == 4 && !plans[7].single_threaded && plans[7].algorithm == CpuAlgorithm::panels));
  CHECK((plans[6].threads == 1 && !plans[6].single_threaded && plans[6].algorithm == CpuAlgorithm::unpacked));
  const std::vector<GemmPlan> few = explain_grouped(exec, products.first(3));
  CHECK((few[2].threads == 1 && few[2].single_threaded));
  gemm_grouped(exec, products);
  exec.fence();
  for (const std::size_t i : {0, 6, 7, 599}) {
    const View C = views[3 * i + 2];
    const auto n = static_cast<double>(C.extent(0));
    CHECK((C(0, 0) == 2 * n && C(C.extent(0) - 1, C.extent(1) - 1) == 2 * n));
  }
}

}  // namespace
}  // namespace rooftile::testing
