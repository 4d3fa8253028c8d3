// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Invalid enumerators and sizes: every entry point that takes them throws an Error.
#include "plan/validate_enum.hpp"

#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "plan/prepare.hpp"
#include "rooftile/tuning.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using testing::cube, testing::refused;

std::string refusal_of(const GemmOptions& options, const Target& target = testing::native(),
                       const GemmShape& shape = cube, Index count = 1) {
  return refused([&] { static_cast<void>(choose(shape, options, target, count)); });
}

TEST_CASE("a kernel that there is not is refused", "[known]") {
  using Limits = std::numeric_limits<int>;
  for (const int value : {-2, static_cast<int>(rung_count), 999, Limits::min(), Limits::max()}) {
    CHECK(refusal_of({.kernel = static_cast<Kernel>(value)}) == "no such kernel (" + std::to_string(value) +
                                                                    "): take automatic or one of " +
                                                                    testing::all_kernels());
  }
  for (const Rung& rung : ladder) detail::validate_enum(rung.kernel);
  detail::validate_enum(Kernel::automatic);
}

TEST_CASE("a math mode that there is not is refused", "[known]") {
  Target target = testing::native();
  for (const int value : {-2, static_cast<int>(mode_count), 77}) {
    const auto math = static_cast<ComputeMode>(value);
    const std::string expected = detail::text("no such compute mode (", value, "): ");
    CHECK(refusal_of({.math = math}).starts_with(expected));
    CHECK(refused([&] { static_cast<void>(resolved(math, Type::fp32)); }).starts_with(expected));
    target.math = math;
    CHECK(refusal_of({}, target).starts_with(expected));
  }
  target.math = ComputeMode::automatic;
  CHECK(refusal_of({}, target).starts_with("target without a compute mode ("));
  target = testing::native();
  target.path = static_cast<Path>(2);
  CHECK(refusal_of({}, target).starts_with("no such path (2)"));
  for (const ComputeMode math : all_modes) detail::validate_enum(math);
}

TEST_CASE("a tuning table with a kernel that there is not is refused", "[known]") {
  constexpr TuningLayout best{};
  TuningTable table{"here",
                    {{Path::native, ComputeMode::fp32, cube, best, static_cast<Kernel>(999), {}, 1, 1}}};
  Target target = testing::native();
  target.device = "here";
  CHECK(refusal_of({.tuning = &table}, target).starts_with("no such kernel (999)"));
  table.entries.front().kernel = Kernel::naive;
  for (const Index extent : {Index{0}, Index{-64}, std::numeric_limits<Index>::min()}) {  // match nothing
    table.entries.front().shape = {extent, 64, 64};
    CHECK_FALSE(choose(cube, {.tuning = &table}, target).tuned);
  }
}

TEST_CASE("a choice for negative or uncountable sizes is refused", "[known]") {
  for (const GemmShape& shape : {GemmShape{-1, 2, 3}, {1, -2, 3}, {1, 2, -3}})
    CHECK(refusal_of({}, testing::native(), shape).starts_with("negative size (m "));
  constexpr Index large = Index{1} << 50;
  for (const GemmShape shape : {GemmShape{large, 1, large}, {1, large, large}})
    CHECK(refusal_of({}, testing::native(), shape).starts_with("operand too large (m "));
  CHECK(refusal_of({}, testing::native(), cube, -1) == "negative number of products (-1): give 0 or more");
  CHECK(refusal_of({}, testing::native(), {0, 0, 0}).empty());
}

TEST_CASE("row-major operands with more elements than addresses are refused", "[known]") {
  constexpr Index large = Index{1} << 40, most = std::numeric_limits<Index>::max();
  const auto refusal = [](const GemmShape& shape, Index count = 1) {
    return refused([&] { detail::check_row_major(shape, count, sizeof(float)); });
  };
  const auto overflows = [&](const char* name, const GemmShape& shape, Index count = 1) {
    return refusal(shape, count).starts_with(detail::text("extent times stride overflows for ", name, " ("));
  };
  CHECK((overflows("C", {large, large, 1}) && overflows("A", {large, 1, large})));
  CHECK((overflows("B", {1, large, large}) && overflows("A", {most, most, most})));
  CHECK((overflows("A", {large, 1, 1}, large) && overflows("C", {large, large, 0})));
  CHECK(overflows("C", {large, 4, 0}, large));
  CHECK(refusal({-1, 1, 1}).starts_with("negative size (m -1, n 1, k 1)"));
  for (const GemmShape& shape : {GemmShape{large, 1, 1}, {large, 0, 1}, {large, 4, 0}})
    CHECK(refusal(shape).empty());
  CHECK(refusal({large, large, large}, 0).empty());
}

TEST_CASE("a tile for all of C with any other extent is refused", "[known]") {
  TileShape tile = cta(8, 8);
  const GemmShape shape{8, 8, 8};
  CHECK(testing::refusal_of(Kernel::single_block, shape, tile).empty());
  for (int TileShape::*part :
       {&TileShape::bm, &TileShape::bn, &TileShape::bk, &TileShape::tm, &TileShape::tn}) {
    for (const int value : {-8, 0, 7, 2000000000}) {
      TileShape other = tile;
      other.*part = value;
      CHECK_FALSE(testing::refusal_of(Kernel::single_block, shape, other).empty());
      for (const Rung& rung : ladder) {  // any result is valid; it must not crash
        static_cast<void>(refused([&] {
          static_cast<void>(choose(shape, {rung.kernel, other}, testing::native()));
        }));
        static_cast<void>(refused([&] {
          static_cast<void>(choose(shape, {rung.kernel, other}, testing::cpu()));
        }));
      }
    }
  }
}

}  // namespace
}  // namespace rooftile
