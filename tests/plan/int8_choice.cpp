// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/int8_choice.hpp"

#include <array>
#include <limits>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "numerics/residue.hpp"
#include "plan/choose.hpp"
#include "plan/default_tile.hpp"
#include "plan/plan.hpp"
#include "plan/plan_residues.hpp"
#include "plan/residue_chunks.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using Catch::Matchers::WithinRel, testing::cube, testing::portable, testing::problem, testing::refused,
    testing::today;

TEST_CASE("fp64 comes from products of int8 only where it is asked for", "[choose]") {
  Target cpu = portable(today, ComputeMode::fp64);
  cpu.cache_blocks = {96, 96, 96, 4, 8};
  CHECK(choose(cube, {}, cpu).math == ComputeMode::fp64);
  const Choice asked = choose(cube, {.math = ComputeMode::fp64_int8}, cpu);
  CHECK((asked.kernel == Kernel::packed && asked.math == ComputeMode::fp64_int8 &&
         asked.why == detail::why_int8));
  const Choice nothing = choose({8, 8, 0}, {.math = ComputeMode::fp64_int8}, cpu);
  CHECK((nothing.math == ComputeMode::fp64 && nothing.why == "fp64 itself: there is nothing to multiply"));
  const Choice longest = choose({8, 8, residues::max_k + 1}, {.math = ComputeMode::fp64_int8}, cpu);
  CHECK(longest.why == "fp64 itself: K is longer than what products of int8 are proven for");
  CHECK(refused([&] {
          choose(cube, {.math = ComputeMode::fp64_int8}, testing::h200(Path::portable, ComputeMode::fp64));
        }).starts_with("no kernel computes in fp64_int8 here (portable path"));
}

constexpr GemmOptions by_int8{.math = ComputeMode::fp64_int8};

TEST_CASE(
    "native GPUs compute fp64 from products of int8 where that is faster, or a kernel or moduli are named",
    "[choose]") {
  const Target h200 = testing::h200(Path::native, ComputeMode::fp64);
  CHECK(choose({8192, 8192, 8192}, {}, h200).math == ComputeMode::fp64);
  for (const Index n : {4096, 8192, 16384}) {
    const Choice choice = choose({n, n, n}, by_int8, h200);
    CHECK((choice.kernel == Kernel::warpgroup_int8 && choice.math == ComputeMode::fp64_int8 &&
           choice.why == detail::why_int8));
  }
  for (const GemmShape shape :
       {GemmShape{64, 64, 64}, {1000, 1000, 1000}, {8192, 8192, 64}, {16, 8192, 8192}}) {
    INFO(to_string(shape));
    const Choice choice = choose(shape, by_int8, h200);
    CHECK(rung_of(choice.kernel).is_warp_mma());
    CHECK(choice.math == ComputeMode::fp64);
    CHECK(choice.why == "fp64 itself takes less time: products of int8 would not pay for the rest");
    // A caller who names the kernel or a number of moduli gets the requested mode. An unknown device gets it,
    // too.
    CHECK(choose(shape, {.kernel = Kernel::warpgroup_int8, .math = ComputeMode::fp64_int8}, h200).math ==
          ComputeMode::fp64_int8);
    CHECK(choose(shape, {.math = ComputeMode::fp64_int8, .moduli = 15}, h200).kernel ==
          Kernel::warpgroup_int8);
    Target unknown = h200;
    unknown.sms = 0;
    CHECK(choose(shape, by_int8, unknown).math == ComputeMode::fp64_int8);
  }
  Target one_sm = h200;
  one_sm.sms = 1;  // a known device
  CHECK(choose({64, 64, 64}, by_int8, one_sm).math == ComputeMode::fp64);
  // The kernel supports batches by pointers. Many small entries share thread blocks.
  GemmDesc by_pointers = describe({4096, 4096, 4096}, Type::fp64, 3);
  by_pointers.by_pointers = true;
  CHECK(choose(by_pointers, by_int8, h200).kernel == Kernel::warpgroup_int8);
  CHECK(choose({8, 8, 8}, by_int8, h200, 10000).kernel == Kernel::small_batched);
}

/// Cycles with the default costs.
double int8_cycles(const GemmShape& shape, int sms, Index count, int moduli, Type type = Type::fp64) {
  const model::Costs costs{};
  return 1e6 * costs.clock_mhz * detail::int8_seconds(costs, shape, sms, count, moduli, type);
}

TEST_CASE("complex fp64 comes from products of int8 where it is asked for and pays", "[choose]") {
  const Target h200 = testing::h200(Path::native, ComputeMode::cfp64);
  constexpr GemmOptions asked{.math = ComputeMode::cfp64_int8};
  CHECK(choose({8192, 8192, 8192}, {}, h200).math == ComputeMode::cfp64);
  const Choice large = choose({8192, 8192, 8192}, asked, h200), small = choose({64, 64, 64}, asked, h200);
  CHECK((large.kernel == Kernel::warpgroup_int8 && large.math == ComputeMode::cfp64_int8));
  CHECK((small.math == ComputeMode::cfp64 &&
         small.why == "fp64 itself takes less time: products of int8 would not pay for the rest"));
  const auto why = [&](Index k) { return choose({8, 8, k}, asked, testing::cpu(ComputeMode::cfp64)).why; };
  CHECK(why(residues::max_k / 2) == detail::why_int8);
  CHECK(why(residues::max_k / 2 + 1) == "fp64 itself: K is longer than what products of int8 are proven for");
  CHECK(refused([&] {
          choose(cube, asked, testing::h200(Path::portable, ComputeMode::cfp64));
        }).starts_with("no kernel computes in cfp64_int8 here (portable path"));
  // Three tiles per modulus, and the bytes of complex numbers.
  const GemmShape shape{256 * 66, 256, 1024};
  const double rounds = (int8_cycles(shape, 132, 1, 14, Type::cfp64) - 100000 -
                         ((48 + 42) * (256 * 66 + 256) * 1024.0 + (16 + 84) * 256 * 66 * 256.0) / 1600) /
                        (6500 + 1024.0 * 128 * 256 / 3300);
  CHECK_THAT(rounds, WithinRel(42.0));
}

TEST_CASE("products of int8 take rounds of pairs of SMs, and the bytes of operands, residues and C",
          "[choose]") {
  // Without the start and the memory traffic: rounds of a tile's K steps plus the reduction of its sums to
  // residues.
  const auto rounds = [](GemmShape shape, int moduli = 14, int sms = 132, Index count = 1) {
    const auto [m, n, k] = shape;
    const auto bytes = static_cast<double>((24 + moduli) * (m + n) * k + (8 + 2 * moduli) * m * n);
    const double all = int8_cycles(shape, sms, count, moduli);
    return (all / static_cast<double>(count) - 100000 - bytes / 1600) /
           (6500 + static_cast<double>(k) * 128 * 256 / 3300);
  };
  const Index m = 256 * 66;  // one tile per pair of SMs
  CHECK_THAT(rounds({m, 256, 1024}), WithinRel(14.0));
  CHECK_THAT(rounds({m, 256, 1024}, 13), WithinRel(13.0));
  CHECK_THAT(rounds({m + 1, 256, 1024}), WithinRel(15.0));
  CHECK_THAT(rounds({m, 257, 1024}), WithinRel(28.0));
  CHECK_THAT(rounds({256, 256, 9999}), WithinRel(1.0));
  CHECK_THAT(rounds({m, 256, 1024}, 14, 133), WithinRel(14.0));
  CHECK_THAT(rounds({m, 256, 1024}, 14, 134), WithinRel(14.0));  // 924 tiles on 67 pairs
  CHECK_THAT(rounds({256, 256, 1024}, 14, 1), WithinRel(14.0));
  CHECK_THAT(rounds({m + 1, 256, 1024}, 14, 132, 3), WithinRel(15.0));
}

TEST_CASE("products too large for int32 or a launch are computed in fp64 itself", "[choose]") {
  const Target h200 = testing::h200(Path::native, ComputeMode::fp64);
  const auto why = [&](GemmShape shape) { return choose(shape, by_int8, h200).why; };
  constexpr Index long_k = residues::max_products, wide = detail::max_int8_extent;
  CHECK(why({4096, 4096, long_k}) == detail::why_int8);
  CHECK(why({4096, 4096, long_k + 1}) ==
        "fp64 itself: K is too long for int32 accumulators of int8 products");
  CHECK(why({4, wide + 1, 4}) == "fp64 itself: C has more rows or columns than a launch has blocks");
  CHECK(why({8, 8, 0}) == "fp64 itself: there is nothing to multiply");
  const GemmOptions named{.kernel = Kernel::warpgroup_int8, .math = ComputeMode::fp64_int8};
  CHECK(refused([&] {
          choose({64, 64, long_k + 1}, named, h200);
        }).find("(warpgroup_int8, k 131072): take at most 131071") != std::string::npos);
  CHECK(problem([&] {
          choose({wide + 1, 4, 4}, named, h200);
        }).ends_with("(warpgroup_int8, m 2147483648, n 4)"));
  Target a100 = h200;
  a100.capability = 80;
  CHECK(refused([&] {
          choose(cube, by_int8, a100);
        }).starts_with("no kernel computes in fp64_int8 here (native path, compute capability 8.0): "));
}

// Parts into which fp64 from int8 products is divided: chunks of C on a GPU, blocks and threads on a CPU.

using detail::ResidueChunks, detail::residues_bytes;
using Extents = std::array<Index, 2>;

/// The rows and columns of a chunk of C.
/// @param products  per modulus
Extents within(GemmShape shape, std::size_t bytes = std::numeric_limits<std::size_t>::max(),
               int products = 1) {
  const ResidueChunks chunks = ResidueChunks::within(bytes, shape, products);
  return {chunks.rows, chunks.columns};
}

TEST_CASE("chunks of C have at most so many rows and columns, and bytes", "[plan]") {
  CHECK(within({50000, 9000, 1000}) == Extents{16384, 4096});
  CHECK(within({16384, 4096, 1000}) == Extents{16384, 4096});
  CHECK(within({300, 200, 1000}) == Extents{300, 200});
  CHECK(within({50000, 9000, 100000}) ==
        Extents{4096, 256});  // 7.0e9 bytes with 16 residues; twice as many rows
}

TEST_CASE("chunks that are too large have their columns halved, then their rows", "[plan]") {
  const GemmShape shape{5000, 3000, 2000};
  const Extents in_turn[] = {{5000, 3000}, {5000, 1536}, {5000, 768}, {5000, 384}, {5000, 256},
                             {2560, 256},  {1280, 256},  {640, 256},  {384, 256},  {256, 256}};
  Extents before = in_turn[0];
  for (const Extents& next : in_turn) {
    const std::size_t bytes = ResidueChunks{shape, next[0], next[1]}.bytes();
    CHECK(within(shape, bytes) == next);
    if (next != before) CHECK(within(shape, ResidueChunks{shape, before[0], before[1]}.bytes() - 1) == next);
    before = next;
  }
  CHECK(ResidueChunks::within(0, shape).bytes() == ResidueChunks{shape, 256, 256}.bytes());
}

TEST_CASE("complex numbers have three planes for each modulus", "[plan]") {
  const GemmShape shape{5000, 3000, 2000};
  const auto planes = [&](int products) {  // without the memory per row
    return ResidueChunks{shape, 5000, 3000, products}.bytes() - ResidueChunks{shape, 0, 0, products}.bytes();
  };
  CHECK(planes(1) == std::size_t{16} * (5000 * 2048 + 3000 * 2048 + 5000 * 3072));
  CHECK(planes(3) == 3 * planes(1));
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  CHECK(within({8192, 8192, 8192}, any, 3) == Extents{8192, 4096});
  CHECK(within({16384, 16384, 16384}, any, 3) == Extents{8192, 1024});
  Target gpu = testing::h200(Path::native, ComputeMode::cfp64);
  const GemmPlan found = plan(describe(shape, Type::cfp64),
                              {.kernel = Kernel::warpgroup_int8, .math = ComputeMode::cfp64_int8}, gpu);
  CHECK((found.rows == 5000 && found.columns == 3000));
  CHECK(found.workspace == ResidueChunks{shape, 5000, 3000, 3}.bytes());
  CHECK(found.seconds == detail::int8_seconds(gpu.costs, shape, 132, 1, 14, Type::cfp64));
  CHECK(found.fallback == default_tile(rung_of(Kernel::tensor_core), found.desc, gpu));
  CHECK_NOTHROW(detail::check_plan(found, describe(shape, Type::cfp64), gpu));
  Target cpu = testing::cpu(ComputeMode::cfp64);
  cpu.threads = 6;
  const GemmPlan on_cpu = plan(describe(shape, Type::cfp64), {.math = ComputeMode::cfp64_int8}, cpu);
  CHECK((on_cpu.math == ComputeMode::cfp64_int8 && on_cpu.threads == 6));
  CHECK(on_cpu.workspace == residues_bytes(shape, 128, 6, Type::cfp64));
  CHECK_NOTHROW(detail::check_plan(on_cpu, describe(shape, Type::cfp64), cpu));
}

TEST_CASE("a plan of chunks has their time, and the tile of fp64 itself", "[plan]") {
  Target gpu = testing::h200(Path::native, ComputeMode::fp64);
  const GemmShape shape{5000, 3000, 2000};
  GemmDesc desc = describe(shape, Type::fp64);
  GemmOptions options{.kernel = Kernel::warpgroup_int8, .math = ComputeMode::fp64_int8};
  const auto seconds = [&](int moduli, Index count = 1) {
    return detail::int8_seconds(gpu.costs, shape, 132, count, moduli);
  };
  const GemmPlan found = plan(desc, options, gpu);
  CHECK((found.seconds == seconds(14) && found.batch_chunk == 1));
  CHECK(found.fallback == default_tile(rung_of(Kernel::tensor_core), desc, gpu));
  CHECK(found.vectors);
  CHECK(plan(describe(shape, Type::fp64, 3), options, gpu).seconds == seconds(14, 3));
  CHECK(plan(describe({50, 30, 20}, Type::fp64, 7), options, gpu).batch_chunk == 1);
  CHECK(plan(describe({50, 30, 0}, Type::fp64, 7), options, gpu).batch_chunk == 7);  // one launch scales C
  options.moduli = 15;
  CHECK(plan(desc, options, gpu).seconds == seconds(15));
  for (detail::OperandAlignment* lines : {&desc.alignment.a, &desc.alignment.b}) {
    const detail::OperandAlignment whole = *lines;
    *lines = {true, false};
    CHECK_FALSE(plan(desc, options, gpu).vectors);
    *lines = whole;
  }
  gpu.sms = 0;
  CHECK(plan(desc, options, gpu).seconds == 0);
}

TEST_CASE("threads for blocks of 128 by 128 are limited by the CPU, the blocks and the workspace", "[plan]") {
  Target cpu = testing::cpu(ComputeMode::fp64);
  cpu.threads = 6;
  const auto found = [&](GemmShape shape, std::size_t bytes = WorkspaceMemory{}.bytes) {
    const GemmPlan made = plan(describe(shape, Type::fp64),
                               {.math = ComputeMode::fp64_int8, .workspace = {nullptr, bytes}}, cpu);
    CHECK((made.single_threaded == (made.threads == 1)));
    CHECK(made.workspace == residues_bytes(shape, made.columns, made.threads));
    return Extents{made.columns, made.threads};
  };
  CHECK(found({128, 128, 300}) == Extents{128, 1});
  CHECK(found({129, 128, 300}) == Extents{128, 2});
  CHECK(found({128, 129, 300}) == Extents{128, 2});
  CHECK(found({640, 128, 300}) == Extents{128, 5});
  CHECK(found({100'000, 100'000, 300}) == Extents{128, 6});
  const GemmShape shape{1000, 500, 300};
  const auto bytes = [&](Index columns, Index threads) { return residues_bytes(shape, columns, threads); };
  CHECK(found(shape, bytes(128, 6)) == Extents{128, 6});
  CHECK(found(shape, bytes(128, 3)) == Extents{128, 3});
  CHECK(found(shape, bytes(128, 3) - 1) == Extents{128, 2});
  // Blocks become narrower only if even one thread lacks the memory for 128 columns.
  CHECK(found(shape, bytes(128, 1)) == Extents{128, 1});
  CHECK(found(shape, bytes(128, 1) - 1) == Extents{64, 1});
  CHECK(found(shape, bytes(16, 1) - 1) == Extents{8, 1});
  CHECK(found(shape, bytes(8, 1)) == Extents{8, 1});
  // With K = 0, a named kernel scales C, for which one thread suffices.
  CHECK(plan(describe({640, 1000, 0}, Type::fp64), {.kernel = Kernel::packed, .math = ComputeMode::fp64_int8},
             cpu)
            .single_threaded);
}

}  // namespace
}  // namespace rooftile
