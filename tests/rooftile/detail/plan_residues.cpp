// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What fp64 from products of int8 takes at a time: on a GPU chunks of C, on a CPU blocks and threads.
#include "rooftile/detail/plan_residues.hpp"

#include <array>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "rooftile/plan.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using detail::ResidueChunks, detail::residues_bytes;
using Extents = std::array<Index, 2>;

TEST_CASE("chunks of C have at most so many rows and columns, and bytes", "[plan]") {
  const auto within = [](GemmShape shape) {
    const ResidueChunks chunks = ResidueChunks::within(std::numeric_limits<std::size_t>::max(), shape);
    return Extents{chunks.rows, chunks.columns};
  };
  CHECK(within({50000, 9000, 1000}) == Extents{16384, 4096});
  CHECK(within({16384, 4096, 1000}) == Extents{16384, 4096});
  CHECK(within({300, 200, 1000}) == Extents{300, 200});
  CHECK(within({50000, 9000, 100000}) ==
        Extents{4096, 256});  // of 16 residues, 7.0e9 bytes; twice as many rows
}

TEST_CASE("of chunks that are too large the columns are halved, then the rows", "[plan]") {
  const GemmShape shape{5000, 3000, 2000};
  const Extents in_turn[] = {{5000, 3000}, {5000, 1536}, {5000, 768}, {5000, 384}, {5000, 256},
                             {2560, 256},  {1280, 256},  {640, 256},  {384, 256},  {256, 256}};
  Extents before = in_turn[0];
  for (const Extents& next : in_turn) {
    const auto within = [&](std::size_t bytes) {
      const ResidueChunks chunks = ResidueChunks::within(bytes, shape);
      return Extents{chunks.rows, chunks.columns};
    };
    const std::size_t bytes = ResidueChunks{shape, next[0], next[1]}.bytes();
    CHECK(within(bytes) == next);
    if (next != before) CHECK(within(ResidueChunks{shape, before[0], before[1]}.bytes() - 1) == next);
    before = next;
  }
  CHECK(ResidueChunks::within(0, shape).bytes() == ResidueChunks{shape, 256, 256}.bytes());
}

TEST_CASE("complex numbers have three planes for each modulus", "[plan]") {
  const GemmShape shape{5000, 3000, 2000};
  const auto planes = [&](int products) {  // without what each row has
    return ResidueChunks{shape, 5000, 3000, products}.bytes() - ResidueChunks{shape, 0, 0, products}.bytes();
  };
  CHECK(planes(1) == std::size_t{16} * (5000 * 2048 + 3000 * 2048 + 5000 * 3072));
  CHECK(planes(3) == 3 * planes(1));
  const auto within = [](GemmShape large) {
    const ResidueChunks chunks = ResidueChunks::within(std::numeric_limits<std::size_t>::max(), large, 3);
    return Extents{chunks.rows, chunks.columns};
  };
  CHECK(within({8192, 8192, 8192}) == Extents{8192, 4096});
  CHECK(within({16384, 16384, 16384}) == Extents{8192, 1024});
  Target gpu = testing::h200(Path::native, Math::cfp64);
  const GemmPlan found =
      plan(describe(shape, Type::cfp64), {.kernel = Kernel::warpgroup_int8, .math = Math::cfp64_int8}, gpu);
  CHECK((found.rows == 5000 && found.columns == 3000));
  CHECK(found.workspace == ResidueChunks{shape, 5000, 3000, 3}.bytes());
  CHECK(found.cycles == detail::int8_cycles(gpu.costs, shape, 132, 1, 14, Type::cfp64));
  CHECK(found.fallback == default_tile(rung_of(Kernel::tensor_core), shape, gpu, 1, found.desc.lines));
  CHECK_NOTHROW(detail::check_plan(found, describe(shape, Type::cfp64), gpu));
  Target cpu = testing::cpu(Math::cfp64);
  cpu.threads = 6;
  const GemmPlan on_cpu = plan(describe(shape, Type::cfp64), {.math = Math::cfp64_int8}, cpu);
  CHECK((on_cpu.math == Math::cfp64_int8 && on_cpu.threads == 6));
  CHECK(on_cpu.workspace == residues_bytes(shape, 128, 6, Type::cfp64));
  CHECK_NOTHROW(detail::check_plan(on_cpu, describe(shape, Type::cfp64), cpu));
}

TEST_CASE("a plan of chunks has their time, and the tile of fp64 itself", "[plan]") {
  Target gpu = testing::h200(Path::native, Math::fp64);
  const GemmShape shape{5000, 3000, 2000};
  GemmDesc desc = describe(shape, Type::fp64);
  GemmOptions options{.kernel = Kernel::warpgroup_int8, .math = Math::fp64_int8};
  const auto cycles = [&](int moduli, Index count = 1) {
    return detail::int8_cycles(gpu.costs, shape, 132, count, moduli);
  };
  const GemmPlan found = plan(desc, options, gpu);
  CHECK((found.cycles == cycles(14) && found.at_a_time == 1));
  CHECK(found.fallback == default_tile(rung_of(Kernel::tensor_core), shape, gpu, 1, desc.lines));
  CHECK(found.vectors);
  CHECK(plan(describe(shape, Type::fp64, 3), options, gpu).cycles == cycles(14, 3));
  CHECK(plan(describe({50, 30, 20}, Type::fp64, 7), options, gpu).at_a_time == 1);
  CHECK(plan(describe({50, 30, 0}, Type::fp64, 7), options, gpu).at_a_time == 7);  // one launch scales C
  options.moduli = 15;
  CHECK(plan(desc, options, gpu).cycles == cycles(15));
  for (detail::OperandLines* lines : {&desc.lines.a, &desc.lines.b}) {
    const detail::OperandLines whole = *lines;
    *lines = {true, false};
    CHECK_FALSE(plan(desc, options, gpu).vectors);
    *lines = whole;
  }
  gpu.sms = 0;
  CHECK(plan(desc, options, gpu).cycles == 0);
}

TEST_CASE("as many threads compute blocks of 128 by 128 as there are, or have a workspace", "[plan]") {
  Target cpu = testing::cpu(Math::fp64);
  cpu.threads = 6;
  const auto found = [&](GemmShape shape, std::size_t bytes = WorkspaceMemory{}.bytes) {
    const GemmPlan made =
        plan(describe(shape, Type::fp64), {.math = Math::fp64_int8, .workspace = {nullptr, bytes}}, cpu);
    CHECK((made.by_caller == (made.threads == 1)));
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
  // Narrower blocks only where not even one thread has room for one of 128 columns.
  CHECK(found(shape, bytes(128, 1)) == Extents{128, 1});
  CHECK(found(shape, bytes(128, 1) - 1) == Extents{64, 1});
  CHECK(found(shape, bytes(16, 1) - 1) == Extents{8, 1});
  CHECK(found(shape, bytes(8, 1)) == Extents{8, 1});
  // Without K the kernel, where it is named, scales C, which one thread does at once.
  CHECK(plan(describe({640, 1000, 0}, Type::fp64), {.kernel = Kernel::packed, .math = Math::fp64_int8}, cpu)
            .by_caller);
}

}  // namespace
}  // namespace rooftile
