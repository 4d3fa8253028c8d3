// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// More threads than Kokkos puts into one team, of which the packed rung then has several: the same bits as
// one thread's. tests/backends/CMakeLists.txt says how many threads there are.
#include <random>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "rooftile/gemm.hpp"

namespace rooftile::testing {
namespace {

/// C = 2·A·B − C on an instance.
template <class T>
std::vector<T> product(const Kokkos::OpenMP& exec, const GemmShape& shape) {
  const auto [m, n, k] = shape;
  std::mt19937_64 bits(20261122);
  const auto random = [&](Index count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values)
      value = detail::from_parts<T>([&] { return std::uniform_real_distribution<float>(-1, 1)(bits); });
    return values;
  };
  const std::vector<T> a = random(m * k), b = random(k * n);
  std::vector<T> c = random(m * n);
  gemm(exec, 2, row_major(a.data(), m, k), row_major(b.data(), k, n), -1, row_major(c.data(), m, n));
  exec.fence();
  return c;
}

/// Kokkos' instances of all threads and of one.
struct Instances {
  Kokkos::ScopeGuard kokkos;
  Kokkos::OpenMP all, one{1};
};

const Instances& instances() {
  static const Instances found;
  return found;
}

TEMPLATE_TEST_CASE("results of several teams are those of one thread", "[teams]", float, double, float16,
                   bfloat16, complex<float>, complex<double>) {
  const auto& [kokkos, all, one] = instances();
  const Kokkos::TeamPolicy<Kokkos::OpenMP> policy(all, 1, 1);
  const auto nothing = [](const auto&) {};
  REQUIRE(policy.team_size_max(nothing, Kokkos::ParallelForTag()) < all.concurrency());
  for (const GemmShape& shape : {GemmShape{700, 300, 200},  // by rows
                                 {300, 700, 200},           // by columns
                                 {100, 90, 3000},           // K sliced
                                 {90, 100, 3000},
                                 {3, 4000, 700},     // few rows
                                 {4000, 3, 700}}) {  // dot products
    INFO(to_string(shape));
    CHECK(product<TestType>(all, shape) == product<TestType>(one, shape));
  }
}

}  // namespace
}  // namespace rooftile::testing
