// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "backends/openmp/plan.hpp"

#include <cmath>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "backends/openmp/five_loops.hpp"
#include "tests/unit/support.hpp"

namespace rooftile {
namespace {

using namespace portable;

/// Blocks of fp32 for AVX-512 and AVX2.
constexpr TileShape wide{126, 2048, 1024, 14, 32}, narrow{60, 1024, 1024, 6, 16};

/// A product of nothing but extents and strides. @param b_by_rows  whether B's rows are contiguous
GemmArgs<float> product(const GemmShape& shape, bool b_by_rows = true) {
  const auto [m, n, k] = shape;
  const float* const none = nullptr;
  return {1, row_major(none, m, k), b_by_rows ? row_major(none, k, n) : column_major(none, k, n), 0,
          row_major<float>(nullptr, m, n)};
}

/// What the bits of a result depend on.
struct Order {
  bool dots, few_rows;
  int slices;
  Index kc;

  friend bool operator==(const Order&, const Order&) = default;
};

Order order_of(const GemmArgs<float>& args, const Plan& plan) {
  const bool in_one = plan.dots || plan.few_rows || plan.in_place;
  return {plan.dots, plan.few_rows, plan.alone ? 1 : plan.slices, in_one ? args.A.cols : plan.blocks.bk};
}

TEST_CASE("the order of a product's sums does not depend on the number of threads", "[plan]") {
  std::mt19937_64 bits(testing::seed);
  const auto extent = [&] {
    return static_cast<Index>(std::exp2(std::uniform_real_distribution<double>(0, 13)(bits)));
  };
  for (int i = 0; i < 20000; ++i) {
    const GemmShape shape{extent(), extent(), extent()};
    const auto args = product(shape, i % 2 == 0);
    const TileShape& blocks = i % 3 == 0 ? narrow : wide;
    const Order alone = order_of(args, plan_for(args, blocks, 1));
    for (const int threads : {2, 7, 64}) {
      INFO(to_string(shape) << (i % 2 == 0 ? " rr" : " rc") << " on " << threads << " threads");
      REQUIRE(order_of(args, plan_for(args, blocks, threads)) == alone);
    }
  }
}

TEST_CASE("few rows and few columns go ways of their own", "[plan]") {
  const auto plan = [](const GemmShape& shape) { return plan_for(product(shape), wide, 2); };
  CHECK(plan({3, 1024, 1024}).few_rows);
  CHECK_FALSE(plan({3, 64, 8192}).few_rows);     // rows too short to pay
  CHECK_FALSE(plan({3, 256, 256}).few_rows);     // B within L2
  CHECK_FALSE(plan({14, 1024, 1024}).few_rows);  // B within L3
  CHECK(plan({16, 4096, 4096}).few_rows);
  CHECK(plan({1024, 3, 64}).dots);
  CHECK(plan({1024, 15, 1024}).dots);
  CHECK_FALSE(plan({1024, 15, 64}).dots);  // too short to sum up lanes
  CHECK_FALSE(plan({1024, 16, 1024}).dots);
}

TEST_CASE("a product whose B vectors cannot read is transposed where that saves packing it", "[plan]") {
  CHECK(better_transposed(product({16, 1024, 1024}, false), wide));
  CHECK_FALSE(better_transposed(product({16, 1024, 1024}), wide));
  CHECK_FALSE(better_transposed(product({16, 64, 64}, false), wide));  // a copy of B is cheaper
  CHECK_FALSE(better_transposed(product({32, 1024, 1024}, false), wide));
}

TEST_CASE("the workspace fits what there is of it", "[plan]") {
  constexpr Index most = 20 * 1024 * 1024 / sizeof(float);
  for (const GemmShape shape : {GemmShape{56, 4096, 4096}, {3, 1024, 1024}, {4096, 4096, 4096}}) {
    for (const int threads : {1, 64, 256}) {
      INFO(to_string(shape) << " on " << threads << " threads");
      Plan plan = plan_for(product(shape), wide, threads);
      const int kc = plan.blocks.bk;
      CHECK(fit_workspace(shape, plan, threads, most).elements() <= most);
      CHECK(plan.blocks.bk == kc);
    }
  }
}

}  // namespace
}  // namespace rooftile
