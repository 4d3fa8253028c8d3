// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/plan.hpp"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using Steps = std::vector<std::string>;
using testing::h200;
using testing::refused;

/// With a tile of some columns, for operands of so many elements' padding behind each row or column.
GemmPlan warpgroup(const GemmDesc& desc, Math math, int bn, int sms = 132) {
  const Kernel kernel = math == Math::tf32x3 ? Kernel::warpgroup_tf32x3 : Kernel::warpgroup;
  GemmPlan plan{{kernel, {128, bn, 32, 1, bn / 2}, "", math}, desc, Path::native, "H200"};
  detail::plan_for_tma(plan, sms);
  return plan;
}

TEST_CASE("TMA reads 16-bit operands as they lie, and fp32 B along K only", "[plan]") {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      INFO(a << b);
      const GemmPlan bf16 = warpgroup(describe({512, 512, 512}, Type::bf16, 1, a, b), Math::bf16, 128);
      CHECK((!bf16.a.repack && !bf16.b.repack && !bf16.swapped && bf16.workspace == 0));
      CHECK((bf16.a.k_major == a && bf16.b.k_major == !b));
      const GemmPlan tf32 = warpgroup(describe({512, 512, 512}, Type::fp32, 1, a, b), Math::tf32, 128);
      CHECK_FALSE(tf32.a.repack);
      CHECK(tf32.b.repack == (b && !tf32.swapped));
    }
  }
  // Both factors lie against K: the other way round, B is A's transpose, which lies along K.
  const GemmPlan other = warpgroup(describe({512, 512, 512}, Type::fp32, 1, true, true), Math::tf32, 128);
  CHECK((other.swapped && !other.b.repack && other.workspace == 0));
  CHECK(steps_of(other) == Steps{"compute the transposed product", "multiply"});
}

TEST_CASE("what TMA cannot read is repacked, with rows of whole lines of 128 bytes", "[plan]") {
  const GemmPlan odd = warpgroup(describe({100, 200, 33}, Type::bf16), Math::bf16, 128);
  CHECK(steps_of(odd) == Steps{"repack A", "multiply"});  // rows of B are 200 elements
  CHECK(odd.workspace == 100 * 64 * 2 / 1024 * 1024 + 1024);
  const GemmPlan batch = warpgroup(describe({100, 200, 33}, Type::bf16, 10), Math::bf16, 128);
  CHECK(batch.workspace == 10 * 100 * 64 * 2);
  const GemmPlan parts = warpgroup(describe({512, 512, 512}, Type::fp32, 1, true, false), Math::tf32x3, 128);
  CHECK(steps_of(parts) == Steps{"split into tf32 parts B", "multiply"});
  CHECK(parts.workspace == 2 * 512 * 512 * 4);
}

TEST_CASE("K is split for few tiles of 64 columns, and for them alone", "[plan]") {
  const GemmDesc deep = describe({64, 64, 65536}, Type::bf16, 1, true, false);
  const GemmPlan split = warpgroup(deep, Math::bf16, 64);
  CHECK(split.splits == 128);
  CHECK(split.split_steps == 8);
  CHECK(split.workspace == 128 * 64 * 64 * 4);
  CHECK(steps_of(split) == Steps{"multiply", "add the sums of 128 splits of K"});
  CHECK(warpgroup(deep, Math::bf16, 128).splits == 1);
  CHECK(warpgroup(describe({64, 64, 4032}, Type::bf16, 1, true, false), Math::bf16, 64).splits == 1);
  CHECK(warpgroup(describe({64, 64, 65536}, Type::bf16, 33, true, false), Math::bf16, 64).splits > 1);
  CHECK(warpgroup(describe({64, 64, 65536}, Type::bf16, 34, true, false), Math::bf16, 64).splits == 1);
}

TEST_CASE("without K there is nothing to read, and a launch has at most so many layers", "[plan]") {
  const GemmPlan scaled = warpgroup({{64, 64, 0}, Type::bf16, 100000}, Math::bf16, 64);
  CHECK((scaled.workspace == 0 && scaled.splits == 1 && !scaled.a.repack && !scaled.b.repack));
  CHECK(scaled.at_a_time == 65535);
}

TEST_CASE("a shared operand is repacked once", "[plan]") {
  GemmDesc desc = describe({4096, 4096, 4095}, Type::fp32, 3);
  const GemmOptions repack{.kernel = Kernel::pipelined, .repack = true};
  const GemmPlan each = plan(desc, repack, h200(Path::native, Math::fp32));
  desc.lines.a.shared = true;
  const GemmPlan shared = plan(desc, repack, h200(Path::native, Math::fp32));
  CHECK(steps_of(each) == Steps{"repack A", "multiply"});
  CHECK(each.workspace == 3 * shared.workspace);
  CHECK(shared.workspace == std::size_t{4095} * 4096 * 4);
  CHECK((each.vectors && shared.vectors));
}

TEST_CASE("nothing is repacked where nothing gains, or there is no K", "[plan]") {
  const GemmOptions repack{.kernel = Kernel::pipelined, .repack = true};
  const Target target = h200(Path::native, Math::fp32);
  const GemmPlan whole = plan(describe({64, 64, 64}, Type::fp32, 1, false, true), repack, target);
  CHECK((!whole.repack && steps_of(whole) == Steps{"multiply"} && whole.workspace == 0));
  const GemmPlan scaled = plan(describe({64, 64, 0}, Type::fp32), repack, target);
  CHECK((!scaled.repack && steps_of(scaled) == Steps{"multiply"} && scaled.workspace == 0));
}

TEST_CASE("tiles shared along K and their sums are steps of a plan", "[plan]") {
  const Target target = h200(Path::portable, Math::fp32);
  const GemmPlan deep = plan(describe({64, 64, 65536}, Type::fp32, 1, false, true), {}, target);
  CHECK(deep.kernel == Kernel::stream_k);
  CHECK(deep.workspace == std::size_t{deep.stream.sums()} * deep.tile.bm * deep.tile.bn * 4);
  CHECK(steps_of(deep).size() == 2);
  CHECK(deep.cycles > 0);
}

TEST_CASE("a plan is for the products and the device that it was made for", "[plan]") {
  const Target target = h200(Path::native, Math::fp32);
  const GemmDesc desc = describe({64, 64, 64}, Type::fp32);
  const GemmPlan found = plan(desc, {}, target);
  detail::check_plan(found, desc, target);
  const auto refusal = [&](const GemmDesc& other, const Target& there) {
    return refused([&] { detail::check_plan(found, other, there); });
  };
  CHECK(refusal(describe({64, 64, 65}, Type::fp32), target) ==
        "plan for other products (1 of 64x64x64 in fp32, here are 1 of 64x64x65 in fp32): make one of these");
  CHECK(refusal(describe({64, 64, 64}, Type::fp32, 1, false), target) ==
        "plan for other products (1 of 64x64x64 in fp32, here are 1 of 64x64x64 in fp32, whose operands lie "
        "otherwise): make one of these");
  CHECK(refusal(describe({64, 64, 64}, Type::fp32, 2), target) != "");
  Target other = target;
  other.device = "NVIDIA A100";
  CHECK(refusal(desc, other).starts_with("plan for another device ("));
  CHECK(refusal(desc, h200(Path::portable, Math::fp32)).starts_with("plan for another device ("));
  CHECK(refused([&] { detail::check_plan({}, desc, target); }) != "");  // which nobody made
  CHECK(refused([&] { plan(desc, {}, h200(Path::native, Math::fp64)); }) ==
        "target for another element type (products of fp32, target of fp64): give it the products' own");
}

}  // namespace
}  // namespace rooftile
