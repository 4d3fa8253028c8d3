// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <random>

#include <catch2/catch_template_test_macros.hpp>

#include "cpu/caches.hpp"
#include "cpu/grid.hpp"
#include "plan/default_call.hpp"
#include "plan/plan_residues.hpp"
#include "tests/cpu/planned.hpp"
#include "tests/support/multiply.hpp"

namespace rooftile {
namespace {

using namespace portable;
using detail::even_block;
using testing::better_transposed, testing::fit_workspace, testing::one_thread_each, testing::plan_for,
    testing::Planned, testing::workspace_size;

/// Blocks of fp32 for AVX-512 and AVX2.
constexpr TileShape wide{126, 2048, 1024, 14, 32}, narrow{126, 2048, 512, 6, 16};

/// A product that consists of extents and strides only, without data.
/// @param b_by_rows  whether B's rows are contiguous
template <class T = float>
GemmArgs<T> product(const GemmShape& shape, bool b_by_rows = true) {
  const auto [m, n, k] = shape;
  const T* const none = nullptr;
  return {1, row_major(none, m, k), b_by_rows ? row_major(none, k, n) : column_major(none, k, n), 0,
          row_major<T>(nullptr, m, n)};
}

/// The parameters that determine the bits of a result.
struct Order {
  bool dots, skinny_m;
  int slices;
  Index kc;

  friend bool operator==(const Order&, const Order&) = default;
};

template <class T>
Order order_of(const GemmArgs<T>& args, const Planned& plan) {
  const bool in_one = plan.dots || plan.skinny_m || plan.unpacked;
  return {plan.dots, plan.skinny_m, plan.single_threaded ? 1 : plan.split_k,
          in_one ? args.A.cols : plan.blocks.bk};
}

TEMPLATE_TEST_CASE("the order of a product's sums does not depend on the number of threads", "[plan]", float,
                   complex<float>) {
  std::mt19937_64 bits(testing::seed);
  const auto extent = [&] {
    return static_cast<Index>(std::exp2(std::uniform_real_distribution<double>(0, 13)(bits)));
  };
  for (int i = 0; i < 20000; ++i) {
    const GemmShape shape{extent(), extent(), extent()};
    const auto args = product<TestType>(shape, i % 2 == 0);
    const TileShape blocks = portable::blocks_of<TestType>(i % 3 == 0 ? narrow : wide);
    const Order alone = order_of(args, plan_for(args, blocks, 1));
    for (const int threads : {2, 7, 64}) {
      INFO(to_string(shape) << (i % 2 == 0 ? " rr" : " rc") << " on " << threads << " threads");
      REQUIRE(order_of(args, plan_for(args, blocks, threads)) == alone);
    }
  }
}

TEST_CASE("a product whose B vectors cannot read is transposed where that saves packing it", "[plan]") {
  CHECK(better_transposed(product({16, 1024, 1024}, false), wide));
  CHECK_FALSE(better_transposed(product({16, 1024, 1024}), wide));
  CHECK_FALSE(better_transposed(product({16, 64, 64}, false), wide));  // packing B is cheaper
  CHECK_FALSE(better_transposed(product({32, 1024, 1024}, false), wide));
}

TEST_CASE("the workspace has no more elements than are allowed", "[plan]") {
  constexpr Index most = 20 * 1024 * 1024 / sizeof(float);
  for (const GemmShape shape : {GemmShape{56, 4096, 4096},
                                {3, 1024, 1024},
                                {4096, 4096, 4096},
                                {128, 128, 100000},
                                {3, 9000, 1024}}) {
    for (const int threads : {1, 64, 256, 2000}) {
      INFO(to_string(shape) << " on " << threads << " threads");
      Planned plan = plan_for(product(shape), wide, threads);
      const int kc = plan.blocks.bk;
      const CpuWorkspace size = fit_workspace(shape, plan, threads, most);
      CHECK((size.elements() <= most && size.blocks >= 1 && plan.blocks.bk == kc));
    }
  }
}

/// MC, NC and KC for these cache sizes.
std::array<int, 3> blocks_of(Index l2, Index l3, int mr, int nr, std::size_t size) {
  const TileShape found = blocks_for(l2, l3, mr, nr, size);
  CHECK((found.tm == mr && found.tn == nr));
  return {found.bm, found.bn, found.bk};
}

TEST_CASE("blocks fill the caches of known CPUs", "[plan]") {
  constexpr Index kib = 1024, mib = 1024 * kib;
  CHECK((usual_l2 == 512 * kib && usual_l3 == 4 * mib));
  CHECK(blocks_for(mib, 32 * mib, 14, 32, 4) == wide);         // Zen 5, fp32
  CHECK(blocks_for(512 * kib, 16 * mib, 6, 16, 4) == narrow);  // with AVX2
  using Blocks = std::array<int, 3>;
  CHECK(blocks_of(mib, 32 * mib, 14, 16, 8) == Blocks{56, 1024, 1024});
  CHECK(blocks_of(2 * mib, 32 * mib, 14, 32, 4) == Blocks{252, 2048, 1024});  // KC has reached its maximum
  CHECK(blocks_of(300 * kib, 4 * mib, 14, 32, 4) == Blocks{126, 864, 296});   // KC is a multiple of 8
  CHECK(blocks_of(16 * kib, kib, 14, 32, 4) == Blocks{28, 32, 64});           // almost no cache
  CHECK(blocks_of(kib, 64 * kib, 14, 32, 4) == Blocks{14, 64, 64});
}

TEST_CASE("blocks of complex numbers take as many bytes as those of real ones", "[plan]") {
  CHECK(portable::blocks_of<float>(wide) == wide);
  CHECK(portable::blocks_of<complex<float>>(wide) == TileShape{126, 2048, 512, 7, 16});
  CHECK(portable::blocks_of<complex<float>>(narrow) == TileShape{126, 2048, 256, 3, 8});
}

TEST_CASE("a complex multiply-add counts as four, and no plan has complex dot products or few rows",
          "[plan]") {
  const TileShape blocks = portable::blocks_of<complex<float>>(wide);
  const auto plan = [&](const GemmShape& shape, int threads) {
    return plan_for(product<complex<float>>(shape), blocks, threads);
  };
  CHECK((plan({50, 50, 51}, 2).unpacked && !plan({50, 50, 52}, 2).unpacked));
  CHECK((plan({120, 120, 122}, 1).unpacked && !plan({120, 120, 123}, 1).unpacked));
  CHECK_FALSE((plan({1024, 3, 64}, 2).dots || plan({3, 4096, 4096}, 2).skinny_m));
  const auto tiny = [&](const GemmShape& shape) {
    return testing::tiny_plan(product<complex<float>>(shape), blocks).exists;
  };
  CHECK((tiny({3, 3, 63}) && !tiny({3, 3, 64})));  // may be computed as real numbers
  CHECK((tiny({64, 64, 64}) && !tiny({64, 64, 65})));
  const auto each = [&](Index count) {
    return one_thread_each<complex<float>>(plan({16, 16, 16}, 2), {16, 16, 16}, count, 2);
  };
  CHECK((!each(31) && each(32)));  // 4·16³ multiply-adds per product
}

TEST_CASE("a part is a multiple of the unit, and all parts together are the whole", "[plan]") {
  const auto is = [](Range range, Index begin, Index end) {
    return range.begin == begin && range.end == end && range.size() == end - begin;
  };
  CHECK((is(part(100, 16, 3, 0), 0, 32) && is(part(100, 16, 3, 1), 32, 64) &&
         is(part(100, 16, 3, 2), 64, 100)));
  CHECK(is(part(100, 16, 1, 0), 0, 100));
  CHECK((is(part(10, 16, 2, 0), 0, 0) && is(part(10, 16, 2, 1), 0, 10)));
  CHECK((is(part(48, 16, 3, 1), 16, 32) && is(part(49, 16, 4, 3), 48, 49)));
}

/// The thread grid (rows, columns) with a packed or an unpacked B, in micro-tiles of 14 by 32.
std::array<int, 2> grid_of(int threads, Index m, Index n, bool pack_b) {
  Planned plan = plan_for(product({1024, 1024, 1024}), wide, threads);
  plan.pack_b = pack_b;
  const Grid found = grid_for(threads, m, n, plan);
  return {found.rows, found.cols};
}

TEST_CASE("the longest part of several is the last or one of whole units", "[plan]") {
  for (Index extent : {1, 13, 14, 15, 140, 161, 1000}) {
    for (Index unit : {1, 14, 32}) {
      for (Index count = 1; count < 9; ++count) {
        Index longest = 0;
        for (Index i = 0; i < count; ++i) longest = std::max(longest, part(extent, unit, count, i).size());
        CAPTURE(extent, unit, count);
        CHECK(longest_part(extent, unit, count) == longest);
      }
    }
  }
}

TEST_CASE("threads divide C so that the slowest is done first, by rows where that is equal", "[plan]") {
  const auto grid = [](int threads, Index m, Index n) { return grid_of(threads, m, n, false); };
  using Grids = std::array<int, 2>;
  CHECK(grid(1, 1000, 1000) == Grids{1, 1});
  CHECK(grid(2, 14 * 32, 32 * 14) == Grids{2, 1});
  CHECK(grid(2, 1024, 1024) == Grids{1, 2});  // divided by rows, one thread has 518 rows
  CHECK(grid(2, 14, 4096) == Grids{1, 2});
  CHECK(grid(2, 2077, 161) == Grids{2, 1});  // the last micro-tile of a row has one column
  CHECK(grid(4, 4096, 32) == Grids{4, 1});
  CHECK(grid(4, 14, 4096) == Grids{1, 4});
  CHECK(grid(6, 28, 96) == Grids{2, 3});
  CHECK(grid(7, 42, 64) == Grids{3, 2});  // one thread is idle
  CHECK(grid(3, 28, 64) == Grids{1, 2});  // one thread is idle in any division
  CHECK(grid(4, 29, 64) == Grids{2, 2});
}

TEST_CASE("threads share little of a B that they pack", "[plan]") {
  using Grids = std::array<int, 2>;
  CHECK((grid_of(2, 266, 138, false) == Grids{2, 1} && grid_of(2, 266, 138, true) == Grids{1, 2}));
  CHECK((grid_of(2, 1000, 1000, false) == Grids{2, 1} && grid_of(2, 1000, 1000, true) == Grids{1, 2}));
  CHECK(grid_of(2, 1000, 140, true) == Grids{2, 1});
  CHECK((grid_of(16, 1000, 1000, false) == Grids{4, 4} && grid_of(16, 1000, 1000, true) == Grids{2, 8}));
}

Planned plan_of(const GemmShape& shape, int threads = 2, bool b_by_rows = true) {
  return plan_for(product(shape, b_by_rows), wide, threads);
}

/// Whether a plan packs A, and whether it packs B.
std::array<bool, 2> packs(const GemmShape& shape, bool b_by_rows = true) {
  const Planned plan = plan_of(shape, 2, b_by_rows);
  CHECK_FALSE((plan.single_threaded || plan.unpacked || plan.dots || plan.skinny_m));
  return {plan.pack_a, plan.pack_b};
}

TEST_CASE("an operand is packed where more than four micropanels of the other read it, beyond L2", "[plan]") {
  using Packs = std::array<bool, 2>;
  CHECK(packs({1024, 1024, 1024}) == Packs{true, true});
  CHECK(packs({56, 2048, 2048}) == Packs{true, false});
  CHECK(packs({57, 2048, 2048}) == Packs{true, true});
  CHECK(packs({4096, 128, 1023}) == Packs{false, true});
  CHECK(packs({4096, 129, 1023}) == Packs{true, true});
  // A and B together have 258,048 elements, which just fit L2; then slightly more.
  CHECK((packs({100, 156, 1008}) == Packs{false, false} && plan_of({100, 156, 1008}).in_l2));
  CHECK((packs({101, 156, 1008}) == Packs{true, true} && !plan_of({101, 156, 1008}).in_l2));
}

TEST_CASE("an A whose rows crowd the same places of L1 is packed where three micropanels read it", "[plan]") {
  using Packs = std::array<bool, 2>;
  CHECK((packs({4096, 65, 1024}) == Packs{true, true} && packs({4096, 64, 1024}) == Packs{false, true}));
  CHECK((packs({4096, 65, 1023}) == Packs{false, true} && packs({4096, 65, 512}) == Packs{false, true}));
  CHECK((packs({100, 100, 1024}) == Packs{true, false} && packs({100, 100, 1025}) == Packs{false, false}));
}

TEST_CASE("a B that vectors cannot read, or that has not half of one, is packed", "[plan]") {
  using Packs = std::array<bool, 2>;
  CHECK(packs({200, 200, 200}) == Packs{false, false});
  CHECK(packs({200, 200, 200}, false) == Packs{false, true});
  CHECK(packs({56, 2048, 2048}, false) == Packs{true, true});
  CHECK(packs({1024, 15, 64}) == Packs{false, true});
  CHECK(packs({1024, 16, 64}) == Packs{false, false});
}

TEST_CASE("KC divides K evenly", "[plan]") {
  CHECK((even_block(0, 1024) == 1 && even_block(1, 1024) == 1 && even_block(1024, 1024) == 1024));
  CHECK((even_block(1025, 1024) == 513 && even_block(2048, 1024) == 1024 && even_block(2049, 1024) == 683));
  CHECK(plan_of({1000, 1000, 1500}).blocks.bk == 750);
  CHECK(plan_of({1000, 1000, 600}).blocks.bk == 600);
}

TEST_CASE("the calling thread computes a small product, in place", "[plan]") {
  const auto unpacked = [](const GemmShape& shape, int threads) {
    const Planned plan = plan_of(shape, threads);
    CHECK((plan.unpacked == plan.single_threaded && !(plan.pack_a && plan.single_threaded) &&
           !(plan.pack_b && plan.unpacked)));
    return plan.unpacked;
  };
  CHECK(unpacked({80, 80, 80}, 2));
  CHECK_FALSE(unpacked({81, 80, 80}, 2));
  CHECK(unpacked({192, 192, 192}, 1));
  CHECK_FALSE(unpacked({193, 192, 192}, 1));
  // With K > KC, the algorithms sum in different orders. The choice must not depend on the number of threads.
  CHECK(unpacked({60, 60, 1024}, 1));
  CHECK_FALSE(unpacked({60, 60, 1025}, 1));
  CHECK_FALSE(unpacked({60, 60, 1024}, 2));
}

TEST_CASE("the calling thread computes a small product whose B is packed", "[plan]") {
  const Planned copied = plan_of({80, 80, 80}, 2, false);
  CHECK((copied.unpacked && copied.single_threaded && copied.pack_b));
  const Planned packed = plan_of({128, 128, 128}, 2, false);  // B is twice the size of a small workspace
  CHECK((packed.single_threaded && !packed.unpacked && packed.pack_b && !packed.pack_a &&
         packed.blocks.bn == 64));
  CHECK_FALSE(plan_of({129, 128, 128}, 2, false).single_threaded);
  CHECK_FALSE(plan_of({16, 100, 1024}, 2, false).single_threaded);  // not even a micropanel fits
  const Planned edge = plan_of({64, 128, 64}, 2, false);            // B has 32 KiB
  CHECK((edge.unpacked && edge.pack_b));
  CHECK_FALSE(plan_of({64, 100, 82}, 2, false).unpacked);
}

TEST_CASE("the calling thread computes few dot products", "[plan]") {
  CHECK((plan_of({1000, 2, 256}).dots && plan_of({1000, 2, 256}).single_threaded));
  CHECK((plan_of({1000, 3, 171}).dots && !plan_of({1000, 3, 171}).single_threaded));
  CHECK((plan_of({64, 3, 16}).dots && !plan_of({64, 3, 15}).dots && !plan_of({1024, 4, 255}).dots &&
         plan_of({1024, 4, 256}).dots));
  CHECK((plan_of({1024, 15, 1024}).dots && !plan_of({1024, 16, 1024}).dots));
  GemmArgs<float> across = product({1024, 3, 64});
  across.A = column_major<const float>(nullptr, 1024, 64);
  CHECK_FALSE(plan_for(across, wide, 2).dots);
}

TEST_CASE("K is sliced where C leaves threads without tiles", "[plan]") {
  const auto slices = [](const GemmShape& shape) { return plan_of(shape).split_k; };
  CHECK(slices({128, 128, 4096}) == 4);
  CHECK(slices({128, 129, 4096}) == 1);
  CHECK((slices({128, 128, 2047}) == 1 && slices({128, 128, 2048}) == 2));
  CHECK((slices({64, 64, 65536}) == 64 && slices({64, 64, 100000}) == 64));
  // Dot products are sliced up to 32 rows.
  CHECK((slices({32, 3, 8192}) == 8 && slices({33, 3, 8192}) == 1));
  // skinny_m with rows too short to divide: slices have at least 128 steps, and there are at most a million
  // sums.
  CHECK((slices({3, 1024, 1024}) == 8 && slices({16, 4096, 4096}) == 16 && slices({3, 4000, 100}) == 1));
  CHECK((slices({3, 8191, 1024}) == 8 && slices({3, 8192, 1024}) == 1));
  CHECK(slices({1, 1024, 20000}) == 64);
}

TEST_CASE("few rows take fewer columns at a time where they are several groups", "[plan]") {
  CHECK(plan_of({14, 4096, 4096}).blocks.bn == 2048);
  CHECK(plan_of({15, 4096, 4096}).blocks.bn == 1024);
  CHECK((plan_of({56, 4096, 4096}).skinny_m && !plan_of({57, 4096, 4096}).skinny_m));
  CHECK((plan_of({4, 1024, 1024}).skinny_m && !plan_of({5, 1024, 1024}).skinny_m));
  CHECK((plan_of({3, 256, 1024}).skinny_m && !plan_of({3, 255, 1024}).skinny_m));
  CHECK((!plan_of({3, 1024, 126}).skinny_m && plan_of({3, 1024, 127}).skinny_m));    // half of L2, and more
  CHECK((!plan_of({5, 4096, 2048}).skinny_m && plan_of({5, 4096, 2049}).skinny_m));  // L3, and more
  CHECK_FALSE(plan_of({3, 1024, 1024}, 2, false).skinny_m);
}

TEST_CASE("tiny products need no plan", "[plan]") {
  const auto tiny = [](const GemmShape& shape, bool b_by_rows = true) {
    return testing::tiny_plan(product(shape, b_by_rows), wide);
  };
  CHECK((tiny({64, 64, 64}).exists && tiny({9, 8, 8}).exists && tiny({8, 8, 8}, false).exists));
  CHECK_FALSE((tiny({65, 64, 64}).exists || tiny({64, 65, 64}).exists || tiny({64, 64, 65}).exists));
  CHECK((!tiny({3, 3, 16}).exists && tiny({3, 3, 15}).exists));  // dot products
  CHECK((!tiny({8, 8, 8}).pack_b && tiny({8, 8, 8}, false).pack_b));
  CHECK(!tiny({1, 1, 8}, false).pack_b);  // one column: no vectors along N, so no packing
}

TEMPLATE_TEST_CASE("tiny products are computed as a plan would have them computed", "[plan]", float,
                   complex<float>) {
  const TileShape blocks = portable::blocks_of<TestType>(wide);
  for (const Index m : {1, 2, 5, 16, 33, 64}) {
    for (const Index n : {1, 3, 8, 17, 64}) {
      for (const Index k : {1, 7, 15, 16, 64}) {
        for (int layout = 0; layout < 4; ++layout) {
          GemmArgs<TestType> args = product<TestType>({m, n, k}, layout % 2 == 0);
          if (layout >= 2) args.A = column_major<const TestType>(nullptr, m, k);
          const auto [exists, swapped, pack_b] = testing::tiny_plan(args, blocks);
          const bool vectors = args.B.col_stride == 1 || n == 1;
          if (detail::is_tiny_as_given(args.shape(), detail::is_complex<TestType>, vectors, blocks)) {
            CHECK((exists && !swapped && !pack_b));
          }
          if (!exists) continue;
          INFO(to_string(args.shape()) << " layout " << layout);
          CHECK(swapped == better_transposed(args, blocks));
          const detail::CpuProduct described = detail::cpu_product<TestType>(args);
          const CpuPlan whole = detail::plan_on_cpu(described, wide, 7);
          CHECK((whole.algorithm == CpuAlgorithm::unpacked && whole.single_threaded));
          CHECK((whole.parts == CpuParts::none && whole.swapped == swapped && whole.pack_b == pack_b));
          if (detail::multiply_adds(described) > detail::cpu_costs.waking) continue;  // threads may share it
          const Planned plan = plan_for(swapped ? args.transposed() : args, blocks, 2);
          CHECK((plan.unpacked && plan.single_threaded && plan.pack_b == pack_b));
        }
      }
    }
  }
}

TEST_CASE("a call that names the kernel of CPUs, and nothing else, is a default call", "[plan]") {
  STATIC_CHECK(detail::is_default_call({}, ComputeMode::fp32));
  STATIC_CHECK(detail::is_default_call({.kernel = Kernel::packed}, ComputeMode::fp32));
  STATIC_CHECK(detail::is_default_call({.math = ComputeMode::fp32}, ComputeMode::fp32));
  STATIC_CHECK(
      detail::is_default_call({.kernel = Kernel::packed, .math = ComputeMode::fp64}, ComputeMode::fp64));
  STATIC_CHECK_FALSE(detail::is_default_call({.kernel = Kernel::tiled}, ComputeMode::fp32));
  STATIC_CHECK_FALSE(detail::is_default_call({.math = ComputeMode::fp64_int8}, ComputeMode::fp64));
  STATIC_CHECK_FALSE(
      detail::is_default_call({.kernel = Kernel::packed, .tile = {8, 8, 8}}, ComputeMode::fp32));
  STATIC_CHECK_FALSE(detail::is_default_call({.kernel = Kernel::packed, .repack = true}, ComputeMode::fp32));
  STATIC_CHECK_FALSE(detail::is_default_call({.moduli = 14}, ComputeMode::fp64));
}

TEST_CASE("a product is transposed where that makes dot products, or wider vectors along C", "[plan]") {
  const auto better = [](const GemmShape& shape, bool a_by_rows, bool b_by_rows) {
    GemmArgs<float> args = product(shape, b_by_rows);
    if (!a_by_rows) args.A = column_major<const float>(nullptr, shape.m, shape.k);
    return better_transposed(args, wide);
  };
  CHECK(better({3, 1000, 64}, true, false));
  CHECK_FALSE(better({3, 1000, 64}, true, true));
  CHECK_FALSE(better({3, 3, 64}, true, false));  // these are dot products already
  CHECK(better({3, 3, 64}, false, false));
  CHECK((better({100, 8, 10}, false, true) && better({100, 8, 10}, true, false)));
  CHECK_FALSE(better({100, 8, 10}, true, true));
  CHECK((better({100, 15, 10}, false, true) && !better({100, 16, 10}, false, true)));
  CHECK((better({9, 8, 10}, false, true) && !better({8, 8, 10}, false, true)));
  // With few rows, a product is transposed if a copy of B does not fit a small workspace.
  CHECK((better({28, 1024, 10}, true, false) && !better({29, 1024, 10}, true, false)));
  CHECK_FALSE(better({28, 819, 10}, true, false));
  CHECK_FALSE(better({28, 28, 300}, true, false));
}

TEST_CASE("a batch is divided among threads where each has work enough and a cache that holds it", "[plan]") {
  const auto each = [](const GemmShape& shape, Index count, int threads) {
    return one_thread_each<float>(plan_of(shape, threads), shape, count, threads);
  };
  CHECK((!each({16, 16, 16}, 125, 2) && each({16, 16, 16}, 126, 2)));  // 80³ multiply-adds, and more
  CHECK_FALSE(each({16, 16, 16}, 126, 1));
  const GemmShape alone{128, 128, 128};  // packs a B that vectors cannot read
  CHECK((!one_thread_each<float>(plan_of(alone, 2, false), alone, 1, 2) &&
         one_thread_each<float>(plan_of(alone, 2, false), alone, 2, 2)));
  CHECK((each({200, 200, 200}, 8, 8) && !each({200, 200, 200}, 7, 8)));
  CHECK_FALSE(each({1024, 1024, 1024}, 64, 8));  // exceeds L2
  CHECK_FALSE(each({3, 1024, 1024}, 64, 8));
}

TEST_CASE("the workspace is what the plan packs and sums up", "[plan]") {
  const auto size = [](const GemmShape& shape, int threads) {
    return workspace_size(shape, plan_of(shape, threads), threads);
  };
  const CpuWorkspace packed = size({1000, 1000, 1000}, 2);  // A (126,1000) plus slack, B (1024,1000)
  CHECK((packed.a == 126016 && packed.b == 1024000 && packed.elements() == 2 * 126016 + 1024000));
  // Each thread: a block of A (126,1024) and a panel of B (128,1024). Four copies of C.
  const CpuWorkspace sliced = size({128, 128, 4096}, 2);
  CHECK((sliced.a == 129040 && sliced.b == 131072 && sliced.elements() == 2 * (129040 + 131072) + 4 * 16384));
  CHECK(size({3, 9000, 1024}, 3).elements() == 3 * 3 * (2048 + 16));
}

TEST_CASE("too large a workspace halves NC, at eight micropanels MC, and then the threads", "[plan]") {
  const auto fitted = [](Index most) {
    const GemmShape shape{1000, 1000, 1000};
    Planned plan = plan_of(shape);
    const CpuWorkspace size = fit_workspace(shape, plan, 2, most);
    CHECK(size.elements() == workspace_size(shape, plan, static_cast<int>(size.blocks)).elements());
    CHECK((size.elements() <= most || size.blocks == 1));
    return std::array{plan.blocks.bm, plan.blocks.bn, plan.blocks.bk};
  };
  using Blocks = std::array<int, 3>;
  CHECK(fitted(1276032) == Blocks{126, 2048, 1000});
  CHECK(fitted(1276031) == Blocks{126, 512, 1000});
  CHECK(fitted(508032) == Blocks{126, 256, 1000});
  CHECK(fitted(508031) == Blocks{56, 256, 1000});
  CHECK(fitted(300000) == Blocks{14, 256, 1000});
  CHECK(fitted(1) == Blocks{14, 32, 1000});
}

}  // namespace
}  // namespace rooftile
