// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using Steps = std::vector<std::string>;
using testing::h200;
using testing::problem, testing::refused;

/// A plan for a warpgroup kernel whose tile has `bn` columns.
GemmPlan warpgroup(const GemmDesc& desc, ComputeMode math, int bn) {
  const Kernel kernel = math == ComputeMode::tf32x3 ? Kernel::warpgroup_tf32x3 : Kernel::warpgroup;
  const int bm = bn == 64 ? 64 : 128;
  return plan(desc, {.kernel = kernel, .tile = {bm, bn, 32, 1, bn / 2}}, h200(Path::native, math));
}

TEST_CASE("TMA reads 16-bit operands as they lie, and fp32 B along K only", "[plan]") {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      INFO(a << b);
      const GemmPlan bf16 = warpgroup(describe({512, 512, 512}, Type::bf16, 1, a, b), ComputeMode::bf16, 128);
      CHECK((!bf16.a.repack && !bf16.b.repack && !bf16.swapped && bf16.workspace == 0));
      CHECK((bf16.a.k_major == a && bf16.b.k_major == !b));
      const GemmPlan tf32 = warpgroup(describe({512, 512, 512}, Type::fp32, 1, a, b), ComputeMode::tf32, 128);
      CHECK_FALSE(tf32.a.repack);
      CHECK(tf32.b.repack == (b && !tf32.swapped));
    }
  }
  // Neither operand is contiguous along K. In the transposed product, B is A's transpose, which is contiguous
  // along K.
  const GemmPlan other =
      warpgroup(describe({512, 512, 512}, Type::fp32, 1, true, true), ComputeMode::tf32, 128);
  CHECK((other.swapped && !other.b.repack && other.workspace == 0));
  CHECK(steps_of(other) == Steps{"compute the transposed product", "multiply"});
}

TEST_CASE("operands that TMA cannot read are repacked, with rows of whole lines of 128 bytes", "[plan]") {
  const GemmPlan odd = warpgroup(describe({100, 200, 33}, Type::bf16), ComputeMode::bf16, 128);
  CHECK(steps_of(odd) == Steps{"repack A", "multiply"});  // rows of B have 200 elements
  CHECK(odd.workspace == 100 * 64 * 2 / 1024 * 1024 + 1024);
  const GemmPlan batch = warpgroup(describe({100, 200, 33}, Type::bf16, 10), ComputeMode::bf16, 128);
  CHECK(batch.workspace == 10 * 100 * 64 * 2);
  const GemmPlan parts =
      warpgroup(describe({512, 512, 512}, Type::fp32, 1, true, false), ComputeMode::tf32x3, 128);
  CHECK(steps_of(parts) == Steps{"split into tf32 parts B", "multiply"});
  CHECK(parts.workspace == 2 * 512 * 512 * 4);
}

TEST_CASE("complex B is repacked to twice as many real numbers, and A stays if it lies along K",
          "[plan][1m]") {
  const auto plan_with = [](const GemmDesc& desc, int bn) {
    const GemmOptions named{.kernel = Kernel::warpgroup_1m, .tile = {128, bn, 16, 1, bn / 2}};
    return plan(desc, named, h200(Path::native, ComputeMode::cfp32_tf32));
  };
  const GemmPlan along_k = plan_with(describe({512, 256, 64}, Type::cfp32, 1, true, false), 128);
  CHECK(steps_of(along_k) == Steps{"make real numbers of B", "multiply"});
  CHECK((along_k.workspace == 2 * 256 * 64 * 8 && !along_k.swapped && along_k.split_k == 1));
  const GemmPlan across = plan_with(describe({512, 256, 64}, Type::cfp32, 1, false, true), 128);
  CHECK(steps_of(across) == Steps{"repack A", "make real numbers of B", "multiply"});
  CHECK(across.workspace == (512 + 2 * 256) * 64 * 8);
  const GemmPlan deep = plan_with(describe({64, 64, 65536}, Type::cfp32, 1, true, false), 32);
  CHECK((deep.split_k > 1 && deep.split_k * deep.split_steps >= 4096));
  CHECK(deep.workspace ==
        std::size_t{2} * 64 * 65536 * 8 + static_cast<std::size_t>(deep.split_k) * 64 * 128 * 4);
  CHECK(plan_with(describe({64, 64, 65536}, Type::cfp32, 1, true, false), 64).split_k == 1);
}

TEST_CASE("clusters of 2, 4 or 8 blocks split all of K, without a workspace", "[plan]") {
  for (const Index k : {0, 1, 8, 9, 64, 100, 1000, 3476}) {
    for (const Index m : {1, 64, 740, 4096}) {
      INFO(m << " x 320 x " << k);
      const GemmOptions named{.kernel = Kernel::split_k_tensor_core, .tile = {64, 64, 16, 4, 4}};
      const GemmPlan found =
          plan(describe({m, 320, k}, Type::fp64), named, h200(Path::native, ComputeMode::fp64));
      const Index steps = std::max<Index>(1, (k + 15) / 16);
      CHECK((found.split_k >= 1 && found.split_k <= 8 && found.workspace == 0));
      CHECK((found.split_k * found.split_steps >= steps && (found.split_k - 1) * found.split_steps < steps));
    }
  }
  const Target target = h200(Path::native, ComputeMode::fp64);
  const GemmPlan few = choose(GemmShape{152, 616, 3432}, {}, target);
  CHECK((few.kernel == Kernel::split_k_tensor_core && few.split_k == 8));
  for (const GemmPlan& way : alternatives(describe({64, 64, 16}, Type::fp64), {}, target))
    CHECK_FALSE(rung_of(way.kernel).split_k == SplitK::cluster);  // a single step is not split
}

TEST_CASE("K is split for few tiles of 64 columns, and for them alone", "[plan]") {
  const GemmDesc deep = describe({64, 64, 65536}, Type::bf16, 1, true, false);
  const GemmPlan split = warpgroup(deep, ComputeMode::bf16, 64);
  const Index splits = split.split_k;
  CHECK((splits > 1 && splits * split.split_steps >= 1024 && (splits - 1) * split.split_steps < 1024));
  CHECK(split.workspace == static_cast<std::size_t>(splits) * 64 * 64 * 4);
  CHECK(steps_of(split) ==
        Steps{"multiply", "add the partial sums of " + std::to_string(splits) + " splits of K"});
  CHECK(warpgroup(deep, ComputeMode::bf16, 128).split_k == 1);
  CHECK(warpgroup(describe({64, 64, 256}, Type::bf16, 1, true, false), ComputeMode::bf16, 64).split_k == 1);
  CHECK(warpgroup(describe({64, 64, 65536}, Type::bf16, 33, true, false), ComputeMode::bf16, 64).split_k > 1);
  CHECK(warpgroup(describe({64, 64, 65536}, Type::bf16, 132, true, false), ComputeMode::bf16, 64).split_k ==
        1);
}

TEST_CASE("a plan without K repacks nothing, and a launch has at most 65535 layers", "[plan]") {
  const GemmPlan scaled = warpgroup(describe({64, 64, 0}, Type::bf16, 100000), ComputeMode::bf16, 64);
  CHECK((scaled.workspace == 0 && scaled.split_k == 1 && !scaled.a.repack && !scaled.b.repack));
  CHECK(scaled.batch_chunk == 65535);
}

TEST_CASE("a shared operand is repacked once", "[plan]") {
  GemmDesc desc = describe({4096, 4096, 4095}, Type::fp32, 3);
  const GemmOptions repack{.kernel = Kernel::pipelined, .repack = true};
  const GemmPlan each = plan(desc, repack, h200(Path::native, ComputeMode::fp32));
  desc.alignment.a.shared = true;
  const GemmPlan shared = plan(desc, repack, h200(Path::native, ComputeMode::fp32));
  CHECK(steps_of(each) == Steps{"repack A", "multiply"});
  CHECK(each.workspace == 3 * shared.workspace);
  CHECK(shared.workspace == std::size_t{4095} * 4096 * 4);
  CHECK((each.vectors && shared.vectors));
}

TEST_CASE("operands with whole vectors, or without K, are not repacked", "[plan]") {
  const GemmOptions repack{.kernel = Kernel::pipelined, .repack = true};
  const Target target = h200(Path::native, ComputeMode::fp32);
  const GemmPlan whole = plan(describe({64, 64, 64}, Type::fp32, 1, false, true), repack, target);
  CHECK((!whole.repack && steps_of(whole) == Steps{"multiply"} && whole.workspace == 0));
  const GemmPlan scaled = plan(describe({64, 64, 0}, Type::fp32), repack, target);
  CHECK((!scaled.repack && steps_of(scaled) == Steps{"multiply"} && scaled.workspace == 0));
}

TEST_CASE("tiles shared along K and their sums are steps of a plan", "[plan]") {
  const Target target = h200(Path::portable, ComputeMode::fp32);
  const GemmPlan deep = plan(describe({64, 64, 65536}, Type::fp32, 1, false, true), {}, target);
  CHECK(deep.kernel == Kernel::stream_k);
  CHECK(deep.workspace == std::size_t{deep.stream.sums()} * deep.tile.bm * deep.tile.bn * 4);
  CHECK(steps_of(deep).size() == 2);
  CHECK(deep.seconds > 0);
}

TEST_CASE("a plan takes at most the workspace that is allowed, or the kernel is refused", "[plan]") {
  const Target target = h200(Path::portable, ComputeMode::fp32);
  const GemmDesc deep = describe({64, 64, 65536}, Type::fp32, 1, false, true);
  const std::size_t sums = plan(deep, {}, target).workspace;
  const auto within = [&](std::size_t bytes, Kernel kernel = Kernel::automatic) {
    return plan(deep, {.kernel = kernel, .workspace = {nullptr, bytes}}, target);
  };
  CHECK(within(sums).kernel == Kernel::stream_k);
  CHECK(within(sums - 1).workspace < sums);
  CHECK(within(0).workspace == 0);
  CHECK(problem([&] { within(1024, Kernel::stream_k); }) ==
        detail::text("kernel takes more workspace than is allowed (stream_k, ",
                     plan(deep, {.kernel = Kernel::stream_k}, target).workspace, " of 1024 bytes)"));

  const Target bf16 = h200(Path::native, ComputeMode::bf16);
  const GemmDesc odd = describe({2000, 2001, 999}, Type::bf16);  // TMA cannot read it
  CHECK(plan(odd, {}, bf16).kernel == Kernel::warpgroup);
  CHECK_FALSE(rung_of(plan(odd, {.workspace = {nullptr, 0}}, bf16).kernel).tma);
  const GemmDesc split = describe({64, 64, 65536}, Type::bf16, 1, true, false);
  CHECK(plan(split, {}, bf16).split_k > 1);
  CHECK(plan(split, {.kernel = Kernel::warpgroup, .workspace = {nullptr, 0}}, bf16).split_k == 1);

  const GemmPlan three =
      plan(describe({512, 512, 512}, Type::fp32), {.math = ComputeMode::tf32x3, .workspace = {nullptr, 1024}},
           h200(Path::native, ComputeMode::fp32));
  CHECK(three.math == ComputeMode::fp32);
}

TEST_CASE("the workspace that is allowed limits how many entries of a batch are computed at a time",
          "[plan]") {
  const Target target = h200(Path::native, ComputeMode::fp32);
  const GemmDesc desc = describe({4096, 4096, 4095}, Type::fp32, 100);
  const std::size_t one = std::size_t{4095} * 4096 * 4;
  const auto at_a_time = [&](std::size_t bytes) {
    const GemmPlan found =
        plan(desc, {.kernel = Kernel::pipelined, .repack = true, .workspace = {nullptr, bytes}}, target);
    CHECK(found.workspace <= bytes);
    return found.batch_chunk;
  };
  CHECK(at_a_time(one) == 1);
  CHECK(at_a_time(3 * one - 1) == 2);
  CHECK(at_a_time(3 * one) == 3);
  CHECK(at_a_time(1000 * one) == (std::size_t{1} << 30) / one);
}

TEST_CASE("a plan says where the caller's workspace is", "[plan]") {
  alignas(128) static char memory[256];
  const Target target = h200(Path::native, ComputeMode::bf16);
  const GemmDesc odd = describe({2000, 2001, 999}, Type::bf16);
  const std::size_t bytes = plan(odd, {}, target).workspace;
  CHECK(plan(odd, {}, target).memory == nullptr);
  CHECK(plan(odd, {.workspace = {memory, bytes}}, target).memory == memory);
  CHECK(plan(odd, {.workspace = {memory, 256}}, target).memory == nullptr);  // no workspace is needed
  const auto refusal = [&](WorkspaceMemory given) {
    return refused([&] { plan(odd, {.workspace = given}, target); });
  };
  CHECK(refusal({memory + 64, bytes}).starts_with("workspace not aligned ("));
  CHECK(refusal({memory}).starts_with("workspace from the caller without its size"));
  CHECK(refused([&] {
          plan(describe({8, 8, 8}, Type::fp32), {.workspace = {memory, 256}}, testing::cpu());
        }).starts_with("workspace from the caller on a CPU"));
}

TEST_CASE("a plan for other products, another device or with changed members is refused", "[plan]") {
  const Target target = h200(Path::native, ComputeMode::fp32);
  const GemmDesc desc = describe({64, 64, 64}, Type::fp32);
  const GemmPlan found = plan(desc, {}, target);
  detail::check_plan(found, desc, target);
  const auto refusal = [&](const GemmDesc& other, const Target& there) {
    return refused([&] { detail::check_plan(found, other, there); });
  };
  CHECK(refusal(describe({64, 64, 65}, Type::fp32), target)
            .starts_with("plan for other products (1 of 64x64x64 in fp32, here are 1 of 64x64x65 in fp32)"));
  CHECK(refusal(describe({64, 64, 64}, Type::fp32, 1, false), target)
            .starts_with("plan for other products (1 of 64x64x64 in fp32, here are 1 of 64x64x64 in fp32, "));
  CHECK(refusal(describe({64, 64, 64}, Type::fp32, 2), target) != "");
  Target other = target;
  other.device = "NVIDIA A100";
  CHECK(refusal(desc, other).starts_with("plan for another device ("));
  CHECK(refusal(desc, h200(Path::portable, ComputeMode::fp32)).starts_with("plan for another device ("));
  CHECK(refused([&] { detail::check_plan({}, desc, target); }) != "");  // not created by plan()
  struct {
    void (*change)(GemmPlan&);
    std::string_view problem;
  } const changes[] = {
      {[](GemmPlan& x) { x.kernel = static_cast<Kernel>(99); }, "no such kernel (99)"},
      {[](GemmPlan& x) { x.math = static_cast<ComputeMode>(-7); }, "no such compute mode (-7)"},
      {[](GemmPlan& x) { x.kernel = Kernel::automatic; }, "plan without a kernel or a mode (automatic)"},
      {[](GemmPlan& x) { x.math = ComputeMode::automatic; }, "plan without a kernel or a mode (automatic)"},
      {[](GemmPlan& x) { x.math = ComputeMode::fp64; }, "plan in a mode of another element type (fp64, "},
      {[](GemmPlan& x) { x.kernel = Kernel::packed; }, "kernel not on the native path (packed)"},
      {[](GemmPlan& x) {
         x.kernel = Kernel::pipelined, x.tile = {1, 2, 3, 4, 5};
       },
       "tile not built (pipelined 1x2x3)"},
      {[](GemmPlan& x) { x.kernel = Kernel::pipelined, x.together = true, x.tile = {}; },
       "group plan with a tile that shares no launch (pipelined "},
      {[](GemmPlan& x) { x.kernel = Kernel::warpgroup, x.math = ComputeMode::tf32, x.together = true; },
       "group plan with a tile that shares no launch (warpgroup "},
  };
  for (const auto& [change, problem] : changes) {
    GemmPlan changed = found;
    change(changed);
    const std::string found_wrong = refused([&] { detail::check_plan(changed, desc, target); });
    INFO(found_wrong);
    CHECK(found_wrong.starts_with(problem));
  }
  // fp64 from int8 products has its own blocks and workspace.
  const GemmDesc fp64 = describe({64, 64, 64}, Type::fp64);
  const auto on_cpu = [&](const GemmOptions& options, const auto& change) {
    GemmPlan plan = rooftile::plan(fp64, options, testing::cpu(ComputeMode::fp64));
    change(plan);
    return refused([&] { detail::check_plan(plan, fp64, testing::cpu(ComputeMode::fp64)); });
  };
  const GemmOptions by_int8{.math = ComputeMode::fp64_int8};
  CHECK(on_cpu(by_int8, [](GemmPlan&) {}).empty());
  CHECK(on_cpu({}, [](GemmPlan& x) {
          x.math = ComputeMode::fp64_int8;
        }).starts_with("plan whose workspace does not match its blocks (0 bytes, "));
  CHECK(on_cpu(by_int8, [](GemmPlan& x) { x.moduli = 5; }).starts_with("no such number of moduli (5): "));
  CHECK(on_cpu(by_int8, [](GemmPlan& x) { x.threads = 7; }).find("7 threads") != std::string::npos);
  const Target gpu = h200(Path::native, ComputeMode::fp64);
  const GemmOptions on_gpu{.kernel = Kernel::warpgroup_int8, .math = ComputeMode::fp64_int8};
  const auto of_chunks = [&](const auto& change) {
    GemmPlan plan = rooftile::plan(fp64, on_gpu, gpu);
    change(plan);
    return refused([&] { detail::check_plan(plan, fp64, gpu); });
  };
  CHECK(of_chunks([](GemmPlan&) {}).empty());
  for (const auto& change : {+[](GemmPlan& x) { x.columns = 32; }, +[](GemmPlan& x) { x.rows = 0; },
                             +[](GemmPlan& x) { x.workspace += 1; }, +[](GemmPlan& x) { x.fallback = {}; }})
    CHECK(of_chunks(change).starts_with(
        "plan whose workspace does not match its chunks, or without an fp64 tile ("));
  CHECK(refused([&] {
          plan(desc, {}, h200(Path::native, ComputeMode::fp64));
        }).starts_with("target for another element type (products of fp32, target of fp64)"));
}

TEST_CASE("fp64 from products of int8 takes C in chunks that the workspace is enough for", "[plan]") {
  const Target gpu = h200(Path::native, ComputeMode::fp64);
  const GemmShape shape{5000, 3000, 2000};
  const GemmOptions asked{.kernel = Kernel::warpgroup_int8, .math = ComputeMode::fp64_int8};
  const GemmPlan free = plan(describe(shape, Type::fp64), asked, gpu);
  CHECK((free.rows == 5000 && free.columns == 3000));
  CHECK(free.workspace >= 16u * (5000 * 2048 + 3000 * 2048 + 5000 * 3072));
  CHECK(free.seconds > 0);
  CHECK(steps_of(free) ==
        Steps{"scale rows of A and columns of B to integers", "multiply in INT8 modulo 13 to 16 numbers",
              "reconstruct C by the Chinese remainder theorem",
              "or, where the guard fails, multiply in fp64 by tensor_core " + to_string(free.fallback)});
  Index rows = free.rows, columns = free.columns;
  std::size_t min_bytes = 0;
  for (std::size_t bytes = free.workspace - 1;; bytes = bytes / 10 * 9) {
    GemmOptions limited = asked;
    limited.workspace.bytes = bytes;
    const std::string refusal = refused([&] {
      const GemmPlan plan = rooftile::plan(describe(shape, Type::fp64), limited, gpu);
      CHECK((plan.workspace <= bytes && plan.rows <= rows && plan.columns <= columns));
      CHECK((plan.rows == 5000 || plan.columns <= 256));  // columns are halved first
      rows = plan.rows, columns = plan.columns, min_bytes = plan.workspace;
    });
    if (refusal.empty()) continue;
    CHECK(refusal.starts_with("kernel takes more workspace than is allowed (warpgroup_int8, "));
    break;
  }
  CHECK((rows == 256 && columns == 256));
  // If the library falls back to fp64 itself, no workspace is needed.
  const GemmPlan other = plan(describe({8192, 8192, 8192}, Type::fp64),
                              {.math = ComputeMode::fp64_int8, .workspace = {nullptr, min_bytes / 2}}, gpu);
  CHECK((other.math == ComputeMode::fp64 && other.workspace == 0));
  CHECK(other.why == "fp64 itself: products of int8 take more workspace than is allowed");
  // A product with K = 0 needs no workspace. A given number of moduli needs no guard.
  const GemmPlan scaled = plan(describe({64, 64, 0}, Type::fp64), asked, gpu);
  CHECK((scaled.workspace == 0 && steps_of(scaled) == Steps{"scale C"}));
  GemmOptions named = asked;
  named.moduli = 15, named.workspace.bytes = free.workspace / 2;
  const GemmPlan fifteen = plan(describe(shape, Type::fp64), named, gpu);
  CHECK(steps_of(fifteen) ==
        Steps{"scale rows of A and columns of B to integers", "multiply in INT8 modulo 15 numbers",
              "reconstruct C by the Chinese remainder theorem, " + std::to_string(fifteen.rows) + "x" +
                  std::to_string(fifteen.columns) + " elements per chunk",
              "or, where an element is not finite, multiply in fp64 by tensor_core " +
                  to_string(fifteen.fallback)});
}

}  // namespace
}  // namespace rooftile
