// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Threads in the packed rung: equal bits for any number of threads and of teams.
#include <fstream>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "cpu/cpus.hpp"
#include "rooftile/gemm.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/random_values.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile::testing {
namespace {

/// Operands of a product, drawn once for all computations.
template <class T>
struct Operands {
  GemmShape shape;
  std::vector<T> a = random<T>(shape.m * shape.k, 1), b = random<T>(shape.k * shape.n, 2),
                 c = random<T>(shape.m * shape.n, 3);

  /// C after alpha·A·B + beta·C on an instance.
  /// @param layout  bits 0 to 2: whether A, B and C are column-major
  std::vector<T> product(const Kokkos::OpenMP& exec, int layout) const {
    const auto [m, n, k] = shape;
    // With these factors the result is rounded, so that a different use of fused multiply-adds shows.
    using R = Real<Scalar<T>>;
    const auto factor = [](double re, double im) {
      if constexpr (detail::is_complex<T>) {
        return T(static_cast<R>(re), static_cast<R>(im));
      } else {
        return static_cast<R>(re);
      }
    };
    const Scalar<T> alpha = factor(0.7, -0.3), beta = layout % 4 != 0 ? factor(0.3, 1.7) : factor(0, 0);
    const auto matrix = [layout](int bit, auto* data, Index rows, Index cols) {
      return (layout >> bit & 1) != 0 ? column_major(data, rows, cols) : row_major(data, rows, cols);
    };
    std::vector<T> result = c;
    gemm(exec, alpha, matrix(0, a.data(), m, k), matrix(1, b.data(), k, n), beta,
         matrix(2, result.data(), m, n));
    exec.fence();
    return result;
  }
};

TEST_CASE("threads beyond two for each usable CPU do not share a product", "[threads]") {
  STATIC_CHECK(portable::useful_threads(4, 2) == 4);
  STATIC_CHECK(portable::useful_threads(5, 2) == 2);
  STATIC_CHECK(portable::useful_threads(64, 1) == 1);
  const ScratchFolder folder;
  const std::string file = folder / "cpu.max";
  const auto cpus = [&](const char* text) {
    std::ofstream(file) << text;
    return portable::cpus_of_quota(file.c_str(), 8);
  };
  CHECK(cpus("150000 100000\n") == 2);
  CHECK(cpus("20000 100000\n") == 1);
  CHECK(cpus("max 100000\n") == 8);
  CHECK(portable::cpus_of_quota((folder / "none").c_str(), 8) == 8);
}

TEMPLATE_TEST_CASE("results do not depend on the number of threads", "[threads]", float, double, float16,
                   bfloat16, complex<float>, complex<double>) {
  const Instances& threads = instances();
  REQUIRE((threads.all.concurrency() == 4 && threads.one.concurrency() == 1));
  REQUIRE(threads.three.concurrency() == 3);
  for (const GemmShape& shape :
       {GemmShape{1023, 1, 300}, {1023, 1, 2048}, {2047, 2, 333},  {1022, 3, 1024},  {1021, 4, 3000},
        {1021, 7, 900},          {1021, 13, 900}, {37, 2, 5000},   {3, 1001, 700},   {1, 999, 1000},
        {4, 9001, 45},           {8, 9001, 20},   {5, 9001, 90},   {16, 8200, 1040}, {200, 200, 200},
        {130, 70, 3000},         {64, 64, 20000}, {301, 303, 307}, {281, 289, 75},   {1100, 40, 2100},
        {2100, 530, 130},        {17, 900, 40}}) {
    const Operands<TestType> operands{shape};
    for (int layout = 0; layout < 8; ++layout) {
      if (shape.flops() > 2e7 && layout != 0 && layout != 2) continue;
      INFO(to_string(shape) << " layout " << layout);
      const std::vector<TestType> alone = operands.product(threads.one, layout);
      CHECK((operands.product(threads.three, layout) == alone));
      CHECK((operands.product(threads.all, layout) == alone));
    }
  }
}

// tests/backends/CMakeLists.txt runs this case with more threads than a Kokkos team can have.
TEMPLATE_TEST_CASE("results of several teams are those of one thread", "[teams]", float, double, float16,
                   bfloat16, complex<float>, complex<double>) {
  const Instances& threads = instances();
  const Kokkos::TeamPolicy<Kokkos::OpenMP> policy(threads.all, 1, 1);
  const auto nothing = [](const auto&) {};
  REQUIRE(policy.team_size_max(nothing, Kokkos::ParallelForTag()) < threads.all.concurrency());
  for (const GemmShape& shape : {GemmShape{700, 300, 200},  // divided by rows
                                 {300, 700, 200},           // divided by columns
                                 {100, 90, 3000},           // K sliced
                                 {90, 100, 3000},
                                 {3, 4000, 700},     // few rows
                                 {4000, 3, 700}}) {  // dot products
    const Operands<TestType> operands{shape};
    for (const int layout : {0, 1}) {
      INFO(to_string(shape) << " layout " << layout);
      CHECK((operands.product(threads.all, layout) == operands.product(threads.one, layout)));
    }
  }
}

}  // namespace
}  // namespace rooftile::testing
