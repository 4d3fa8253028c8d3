// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The portable entry itself: what it refuses before anything starts, and what it makes of its options.
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

// tests/plan has all that is refused; here it is each of the checks, by both entries.
TEMPLATE_LIST_TEST_CASE("what is no product is refused, and nothing is written", "[entry]", Elements) {
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
  const MatrixRef<T> c = row_major(x + 200, 10, 10);
  CHECK(refusal(row_major<const T>(nullptr, 10, 10), b, c).starts_with("null data of A (10 x 10)"));
  CHECK(refusal({x, -5, 10, 10, 1}, b, {x + 200, -5, 10, 10, 1}).starts_with("negative size of A (-5 x 10)"));
  CHECK(refusal({x, 10, 10, Index{1} << 62, 1}, b, c)
            .starts_with("extent times stride overflows for A (10 x "));
  CHECK(
      refusal(a, b, {x + 200, 10, 10, 4, 1}).starts_with("elements of C overlap (10 x 10, strides 4 and 1)"));
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
  const auto refusal = [&](const GemmOptions& options) { return refused([&] { multiply(options); }); };
  CHECK(refusal({.kernel = Kernel::tiled}).starts_with("tile does not divide the product (m 33, n 20, k 9 "));
  CHECK(refusal({.tile = square_tile(12)}).starts_with("tile not built (tiled_checked 12x12x12)"));
  CHECK(refusal({.math = Math::fp64}).starts_with("math mode not for the element type (fp64, fp32)"));
  CHECK(refusal({.kernel = Kernel::pipelined}) ==
        "kernel for GPUs, which this device is not one of (pipelined): " +
            detail::instead(detail::portable_target(instance(), Math::fp32)));
  CHECK(c == before);
}

TEST_CASE("explain says what gemm takes of a type, its options, and a number of products", "[entry]") {
  const GemmShape shape{40, 50, 60};
  const Choice usual = explain<float>(instance(), shape);
  CHECK((usual.kernel == Kernel::packed && usual.math == Math::fp32 && !usual.tuned));
  CHECK(usual.tile == detail::portable_target(instance(), Math::fp32).cache_blocks);
  CHECK(explain<double>(instance(), shape).tile ==
        detail::portable_target(instance(), Math::fp64).cache_blocks);
  CHECK(explain<double>(instance(), shape).math == Math::fp64);
  CHECK(explain<float>(instance(), shape, {.kernel = Kernel::naive}).kernel == Kernel::naive);
  CHECK(refused([&] {
          explain<float>(instance(), shape, {.kernel = Kernel::tiled});
        }).starts_with("tile does not divide the product (m 40, n 50, k 60 by 32x32x32)"));
  // A tuning table is asked for single products, and the extents are those that were given.
  const TuningTable table{std::string(detail::portable_target(instance(), Math::fp32).device),
                          {{Path::portable,
                            Math::fp32,
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

TEST_CASE("numbers of products that differ, or are negative, are refused", "[entry]") {
  std::vector<float> memory(300, 7);
  const auto batch = [&](Index first, Index count) {
    return BatchRef<float>{row_major(memory.data() + first, 3, 3), 9, count};
  };
  const auto refusal = [&](const auto& A, const auto& B, const auto& C) {
    return refused([&] { gemm_strided_batched(instance(), 1, A, B, 0, C); });
  };
  CHECK(
      refusal(batch(0, 2), batch(100, 3), batch(200, 3)) ==
      "numbers of products differ (A 2, B 3, C 3): give as many matrices of each, or one A or B as a matrix");
  CHECK(refusal(batch(0, 3), batch(100, 4), batch(200, 3))
            .starts_with("numbers of products differ (A 3, B 4, "));
  CHECK(refusal(batch(0, 3).first, batch(100, 1), batch(200, 3)).starts_with("numbers of products differ ("));
  CHECK(
      refusal(batch(0, -1), batch(100, -1), batch(200, -1)).starts_with("negative number of products (-1)"));
  CHECK(refusal(batch(0, 0), batch(100, 0), batch(200, 0)) == "");
  CHECK(memory == std::vector<float>(300, 7));
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
}

TEST_CASE("more tiles of C than a launch takes are refused", "[entry]") {
  // Nothing of C is there: it is refused before it is written to.
  const float element = 1;
  constexpr Index many = Index{1} << 20;
  const MatrixRef<const float> a{&element, many, 1, 0, 0}, b{&element, 1, many, 0, 0};
  const MatrixRef<float> c = row_major(reinterpret_cast<float*>(Index{1} << 16), many, many);
  const auto refusal = [&](Kernel kernel) {
    return refused([&] { gemm(instance(), 1, a, b, 0, c, {.kernel = kernel, .tile = cta(16, 16)}); });
  };
  CHECK(refusal(Kernel::naive).starts_with("too many tiles of C for one launch (65536 x 65536)"));
}

}  // namespace
}  // namespace rooftile::testing
