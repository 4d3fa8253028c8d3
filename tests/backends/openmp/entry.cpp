// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The portable API itself: refusals before anything starts, and the effect of its options.
#include <string>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "backends/kokkos/target.hpp"
#include "plan/describe.hpp"
#include "plan/refusal.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/tuning.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

using Elements = std::tuple<float, double, float16, bfloat16>;

// tests/plan tests every refusal. This case tests that both entry points make the checks.
TEMPLATE_LIST_TEST_CASE("both entries refuse operands that overlap C or do not conform", "[entry]",
                        Elements) {
  using T = TestType;
  const std::vector<T> before(400, static_cast<T>(7.0F));
  std::vector<T> memory = before;
  T* const x = memory.data();
  const auto refusal = [&](const MatrixRef<const T>& A, const MatrixRef<const T>& B, const MatrixRef<T>& C) {
    const std::string with_space = refused([&] { gemm(instance(), 1, A, B, 0, C); });
    CHECK(refused([&] { gemm(1, A, B, 0, C); }) == with_space);
    return with_space;
  };
  const auto a = row_major<const T>(x, 10, 10), b = row_major<const T>(x + 100, 10, 10);
  for (const bool by_rows : {true, false}) {
    const auto c_at = [&](Index first) {
      return by_rows ? row_major(x + first, 10, 10) : column_major(x + first, 10, 10);
    };
    CHECK(refusal(a, b, c_at(0)) == overlap_with("A", a, c_at(0)));
    CHECK(refusal(a, b, c_at(199)) == overlap_with("B", b, c_at(199)));
    CHECK(refusal(a, b.block(0, 0, 9, 10), c_at(200))
              .starts_with("shapes do not conform (A 10 x 10, B 9 x 10"));
  }
  CHECK(memory == before);
}

TEST_CASE("gemm without an execution space computes, and keeps to its options", "[entry]") {
  instance();
  const std::vector<float> a(33 * 9, 1), b(9 * 20, 2), before(33 * 20, 3);
  std::vector<float> c = before;
  const auto multiply = [&](const GemmOptions& options) {
    gemm(2, row_major(a.data(), 33, 9), row_major(b.data(), 9, 20), -1, row_major(c.data(), 33, 20), options);
  };
  for (const Kernel kernel : {Kernel::automatic, Kernel::naive, Kernel::tiled_checked, Kernel::packed}) {
    c = before;
    multiply({.kernel = kernel});
    CHECK(c == std::vector<float>(c.size(), 2 * 9 * 2 - 3));
  }
  c = before;
  CHECK_FALSE(refused([&] { multiply({.kernel = Kernel::tiled}); }).empty());
  CHECK(refused([&] { multiply({.kernel = Kernel::pipelined}); }) ==
        "kernel runs only on GPUs (pipelined): " +
            detail::instead(detail::portable_target(instance(), ComputeMode::fp32)));
  CHECK(c == before);
}

TEST_CASE("explain says what gemm takes of a type, its options, and a number of products", "[entry]") {
  const GemmShape shape{40, 50, 60};
  const Choice usual = explain<float>(instance(), shape);
  CHECK((usual.kernel == Kernel::packed && usual.math == ComputeMode::fp32 && !usual.tuned));
  CHECK(usual.tile == detail::portable_target(instance(), ComputeMode::fp32).cache_blocks);
  CHECK(explain<double>(instance(), shape).tile ==
        detail::portable_target(instance(), ComputeMode::fp64).cache_blocks);
  CHECK(explain<double>(instance(), shape).math == ComputeMode::fp64);
  CHECK(explain<float>(instance(), shape, {.kernel = Kernel::naive}).kernel == Kernel::naive);
  CHECK(refused([&] {
          explain<float>(instance(), shape, {.kernel = Kernel::tiled});
        }).starts_with("tile does not divide the product (m 40, n 50, k 60 by 32x32x32)"));
  // A tuning table is consulted for single products only, and the plan has the given extents.
  const TuningTable table{std::string(detail::portable_target(instance(), ComputeMode::fp32).device),
                          {{Path::portable,
                            ComputeMode::fp32,
                            shape,
                            tuning_layout(describe(shape, Type::fp32)),
                            Kernel::naive,
                            {},
                            1,
                            2}}};
  CHECK(explain<float>(instance(), shape, {.tuning = &table}).kernel == Kernel::naive);
  CHECK(explain<float>(instance(), shape, {.tuning = &table}, 1).tuned);
  CHECK(explain<float>(instance(), shape, {.tuning = &table}, 2).kernel == Kernel::packed);
  CHECK_FALSE(explain<float>(instance(), {60, 50, 40}, {.tuning = &table}).tuned);
  CHECK_FALSE(explain<double>(instance(), shape, {.tuning = &table}).tuned);
}

TEST_CASE("a matrix in a batch's place is shared by all products", "[entry]") {
  instance();
  const float twice[] = {2, 0, 0, 2}, x[] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> c(8);
  const MatrixRef<const float> one = row_major(twice, 2, 2);
  const BatchRef<const float> many{row_major(x, 2, 2), 4, 2};
  const BatchRef<float> result{row_major(c.data(), 2, 2), 4, 2};
  gemm_strided_batched(instance(), 1, one, many, 0, result);
  CHECK(c == std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16});
  gemm_strided_batched(instance(), 2, many, one, 0, result);
  CHECK(c == std::vector<float>{4, 8, 12, 16, 20, 24, 28, 32});
  // The batch counts differ.
  const Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace> as("as", 3, 4, 5), bs("bs", 2, 5, 6),
      cs("cs", 3, 4, 6);
  CHECK_FALSE(refused([&] { gemm_strided_batched(instance(), 1, as, bs, 0, cs); }).empty());
  CHECK_FALSE(refused([&] {
                gemm_strided_batched(instance(), 1, many, one, 0, BatchRef<float>{result.first, 4, 3});
              }).empty());
}

}  // namespace
}  // namespace rooftile::testing
