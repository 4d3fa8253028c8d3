// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/detail/int8_choice.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "rooftile/choose.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using Catch::Matchers::WithinRel, testing::cube, testing::portable, testing::refused, testing::today;

TEST_CASE("fp64 from products of int8 is for those who ask", "[choose]") {
  Target cpu = portable(today, Math::fp64);
  cpu.cache_blocks = {96, 96, 96, 4, 8};
  CHECK(choose(cube, {}, cpu).math == Math::fp64);
  const Choice asked = choose(cube, {.math = Math::fp64_int8}, cpu);
  CHECK((asked.kernel == Kernel::packed && asked.math == Math::fp64_int8 && asked.why == detail::why_int8));
  const Choice nothing = choose({8, 8, 0}, {.math = Math::fp64_int8}, cpu);
  CHECK((nothing.math == Math::fp64 && nothing.why == "fp64 itself: there is nothing to multiply"));
  const Choice longest = choose({8, 8, residues::max_k + 1}, {.math = Math::fp64_int8}, cpu);
  CHECK(longest.why == "fp64 itself: K is longer than what products of int8 are proven for");
  CHECK(refused([&] {
          choose(cube, {.math = Math::fp64_int8}, testing::h200(Path::portable, Math::fp64));
        }).starts_with("no kernel computes in fp64_int8 here (portable path"));
}

constexpr GemmOptions by_int8{.math = Math::fp64_int8};

TEST_CASE(
    "GPUs compute fp64 from products of int8 natively, where it pays or fp64 is proven not to be needed",
    "[choose]") {
  const Target h200 = testing::h200(Path::native, Math::fp64);
  CHECK(choose({8192, 8192, 8192}, {}, h200).math == Math::fp64);
  for (const Index n : {4096, 8192, 16384}) {
    const Choice choice = choose({n, n, n}, by_int8, h200);
    CHECK((choice.kernel == Kernel::warpgroup_int8 && choice.math == Math::fp64_int8 &&
           choice.why == detail::why_int8));
  }
  for (const GemmShape shape :
       {GemmShape{64, 64, 64}, {1000, 1000, 1000}, {8192, 8192, 64}, {16, 8192, 8192}}) {
    INFO(to_string(shape));
    const Choice choice = choose(shape, by_int8, h200);
    CHECK((choice.kernel == Kernel::tensor_core || choice.kernel == Kernel::stream_k_tensor_core));
    CHECK(choice.math == Math::fp64);
    CHECK(choice.why == "fp64 itself takes less time: products of int8 would not pay for the rest");
    // Who names the kernel or a number of moduli, or has a device that is not known, gets what they ask for.
    CHECK(choose(shape, {.kernel = Kernel::warpgroup_int8, .math = Math::fp64_int8}, h200).math ==
          Math::fp64_int8);
    CHECK(choose(shape, {.math = Math::fp64_int8, .moduli = 15}, h200).kernel == Kernel::warpgroup_int8);
    Target unknown = h200;
    unknown.sms = 0;
    CHECK(choose(shape, by_int8, unknown).math == Math::fp64_int8);
  }
  Target one_sm = h200;
  one_sm.sms = 1;  // known, too
  CHECK(choose({64, 64, 64}, by_int8, one_sm).math == Math::fp64);
  // Pointers are followed; many small entries share thread blocks.
  CHECK(choose({4096, 4096, 4096}, by_int8, h200, 3, {}, {}, true).kernel == Kernel::warpgroup_int8);
  CHECK(choose({8, 8, 8}, by_int8, h200, 1000).kernel == Kernel::small_batched);
}

TEST_CASE("complex fp64 comes from products of int8 where it is asked for and pays", "[choose]") {
  const Target h200 = testing::h200(Path::native, Math::cfp64);
  constexpr GemmOptions asked{.math = Math::cfp64_int8};
  CHECK(choose({8192, 8192, 8192}, {}, h200).math == Math::cfp64);
  const Choice large = choose({8192, 8192, 8192}, asked, h200), small = choose({64, 64, 64}, asked, h200);
  CHECK((large.kernel == Kernel::warpgroup_int8 && large.math == Math::cfp64_int8));
  CHECK((small.math == Math::cfp64 &&
         small.why == "fp64 itself takes less time: products of int8 would not pay for the rest"));
  const auto why = [&](Index k) { return choose({8, 8, k}, asked, testing::cpu(Math::cfp64)).why; };
  CHECK(why(residues::max_k / 2) == detail::why_int8);
  CHECK(why(residues::max_k / 2 + 1) == "fp64 itself: K is longer than what products of int8 are proven for");
  CHECK(refused([&] {
          choose(cube, asked, testing::h200(Path::portable, Math::cfp64));
        }).starts_with("no kernel computes in cfp64_int8 here (portable path"));
  // Three tiles for each modulus, and the bytes of complex numbers.
  const GemmShape shape{256 * 66, 256, 1024};
  const double rounds =
      (detail::int8_cycles(model::cost_rows::sm_90, shape, 132, 1, 14, Type::cfp64) - 100000 -
       ((48 + 42) * (256 * 66 + 256) * 1024.0 + (16 + 84) * 256 * 66 * 256.0) / 1700) /
      (6500 + 1024.0 * 128 * 256 / 3300);
  CHECK_THAT(rounds, WithinRel(42.0));
}

TEST_CASE("products of int8 take rounds of pairs of SMs, and the bytes of operands, residues and C",
          "[choose]") {
  // Without the start and the bytes: rounds of K steps of a tile, and of its sums becoming residues.
  const auto rounds = [](GemmShape shape, int moduli = 14, int sms = 132, Index count = 1) {
    const auto [m, n, k] = shape;
    const auto bytes = static_cast<double>((24 + moduli) * (m + n) * k + (8 + 2 * moduli) * m * n);
    const double all = detail::int8_cycles(model::cost_rows::sm_90, shape, sms, count, moduli);
    return (all / static_cast<double>(count) - 100000 - bytes / 1700) /
           (6500 + static_cast<double>(k) * 128 * 256 / 3300);
  };
  const Index m = 256 * 66;  // a tile for each pair
  CHECK_THAT(rounds({m, 256, 1024}), WithinRel(14.0));
  CHECK_THAT(rounds({m, 256, 1024}, 13), WithinRel(13.0));
  CHECK_THAT(rounds({m + 1, 256, 1024}), WithinRel(15.0));
  CHECK_THAT(rounds({m, 257, 1024}), WithinRel(28.0));
  CHECK_THAT(rounds({256, 256, 9999}), WithinRel(1.0));
  CHECK_THAT(rounds({m, 256, 1024}, 14, 133), WithinRel(14.0));
  CHECK_THAT(rounds({m, 256, 1024}, 14, 134), WithinRel(14.0));  // 924 tiles of 67 pairs
  CHECK_THAT(rounds({256, 256, 1024}, 14, 1), WithinRel(14.0));
  CHECK_THAT(rounds({m + 1, 256, 1024}, 14, 132, 3), WithinRel(15.0));
}

TEST_CASE("fp64 from products of int8 gives way where int32 or a launch ends", "[choose]") {
  const Target h200 = testing::h200(Path::native, Math::fp64);
  const auto why = [&](GemmShape shape) { return choose(shape, by_int8, h200).why; };
  constexpr Index long_k = residues::max_products, wide = detail::max_int8_extent;
  CHECK(why({4096, 4096, long_k}) == detail::why_int8);
  CHECK(why({4096, 4096, long_k + 1}) ==
        "fp64 itself: K is longer than what int32 sums up of products of int8");
  CHECK(why({4, wide + 1, 4}) == "fp64 itself: C has more rows or columns than a launch has blocks");
  CHECK(why({8, 8, 0}) == "fp64 itself: there is nothing to multiply");
  const GemmOptions named{.kernel = Kernel::warpgroup_int8, .math = Math::fp64_int8};
  CHECK(refused([&] {
          choose({64, 64, long_k + 1}, named, h200);
        }) ==
        "K is longer than what int32 sums up of products of int8 (warpgroup_int8, k 131072): take at most "
        "131071, "
        "or name no kernel for fp64 itself");
  CHECK(refused([&] {
          choose({wide + 1, 4, 4}, named, h200);
        }) ==
        "more rows or columns than a launch has blocks (warpgroup_int8, m 2147483648, n 4): split C, or name "
        "no "
        "kernel for fp64 itself");
  Target a100 = h200;
  a100.capability = 80;
  CHECK(refused([&] {
          choose(cube, named, a100);
        }).starts_with("kernel needs compute capability 9.0 (warpgroup_int8, this device has 8.0): "));
  CHECK(refused([&] {
          choose(cube, by_int8, a100);
        }).starts_with("no kernel computes in fp64_int8 here (native path, compute capability 8.0): "));
}

}  // namespace
}  // namespace rooftile
