// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "plan/plan.hpp"
#include "rooftile/problem.hpp"
#include "tests/cpu/planned.hpp"

namespace rooftile {
namespace {

using testing::better_transposed, testing::plan_for, testing::Planned, testing::workspace_size;

/// Blocks of fp32 for AVX-512.
constexpr TileShape wide{126, 2048, 1024, 14, 32};

/// A product with 16-bit elements, all operands row-major.
GemmArgs<bfloat16> product_16(const GemmShape& shape) {
  const auto [m, n, k] = shape;
  const bfloat16* const none = nullptr;
  return {1, row_major(none, m, k), row_major(none, k, n), 0, row_major<bfloat16>(nullptr, m, n)};
}

TEST_CASE("products in 16 bits become floats in a small workspace, or in panels", "[plan]") {
  const auto plan = [](const GemmShape& shape) { return plan_for(product_16(shape), wide, 2); };
  CHECK((plan({52, 52, 52}).unpacked && plan({52, 52, 52}).single_threaded));
  CHECK((!plan({53, 52, 52}).single_threaded && !plan({53, 52, 52}).unpacked));  // A, B and C exceed 32 KiB
  CHECK((plan({100, 3, 70}).dots && plan({100, 3, 70}).single_threaded && !plan({100, 3, 15}).dots));
  for (const GemmShape shape :
       {GemmShape{3, 4096, 4096}, {4096, 3, 4096}, {300, 300, 300}, {4096, 4096, 4096}}) {
    const Planned own = plan(shape);
    CHECK((own.pack_a && own.pack_b && !own.single_threaded && !own.unpacked && !own.dots && !own.skinny_m));
    CHECK(own.rows_of_sums == std::min<Index>(shape.m, 1024));
  }
  CHECK((plan({128, 128, 4096}).split_k == 4 && plan({128, 129, 4096}).split_k == 1));
  CHECK(plan({1000, 1000, 1500}).blocks.bk == 750);
  CHECK((plan({100, 156, 1008}).in_l2 && !plan({101, 156, 1008}).in_l2));
}

TEST_CASE("operands that are packed in a small workspace fit it with what is written behind them", "[plan]") {
  const auto fits = [](const GemmShape& shape) {
    return detail::fits_small_packed(shape, wide, sizeof(float));
  };
  CHECK((fits({14, 32, 174}) && !fits({14, 32, 175})));  // 46·177 elements + 64, of 8,192
  CHECK((fits({15, 32, 133}) && !fits({15, 32, 134})));  // two micropanels of A: 60·136 + 64
  CHECK((fits({14, 33, 102}) && !fits({14, 33, 103})));  // two micropanels of B: 78·105 + 64
}

TEST_CASE("a product in 16 bits is transposed where that makes wider vectors", "[plan]") {
  const auto better = [](const GemmShape& shape) { return better_transposed(product_16(shape), wide); };
  CHECK((better({100, 15, 100}) && !better({100, 16, 100}) && !better({15, 15, 100})));
  CHECK((better({100, 3, 15}) && !better({100, 3, 16})));  // these are dot products already
}

TEST_CASE("the workspace of 16 bits has room for the sums of some rows", "[plan]") {
  const auto size = [](const GemmShape& shape) {
    return workspace_size(shape, plan_for(product_16(shape), wide, 2), 2);
  };
  CHECK(size({3000, 3000, 1000}).c == 1024 * 2048);
  CHECK((size({100, 1000, 1000}).c == 100 * 1000 && size({128, 128, 4096}).c == 128 * 128));
}

}  // namespace
}  // namespace rooftile
