// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// fp64 from int8 products on CPUs: bounds E8 and E9 of docs/numerics.md, equal bits, and the fallback to
// fp64.
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/int8_choice.hpp"
#include "tests/backends/openmp/int8_products.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

constexpr GemmOptions guarded{.math = ComputeMode::fp64_int8};

GemmOptions with_moduli(int moduli) {
  return {.math = ComputeMode::fp64_int8, .moduli = moduli};
}

constexpr GemmShape shapes[] = {{1, 1, 1}, {3, 5, 2}, {17, 9, 64}, {40, 30, 333}, {6, 7, 1300}};

TEST_CASE("every element is within the bound of its norms, for all kinds of numbers", "[fp64_int8]") {
  Random random(1);
  for (const std::string_view kind : kinds) {
    for (const GemmShape& shape : shapes) {
      const Operands x = operands_of(kind, shape, random);
      for (int moduli = residues::min_moduli; moduli <= residues::max_moduli; ++moduli) {
        INFO(kind << " " << to_string(shape) << " " << moduli << " moduli");
        CHECK(count_beyond_e8(x, product(x, with_moduli(moduli)), moduli) == 0);
      }
    }
  }
}

TEST_CASE("the guard proves Grade A, and takes fp64 itself elsewhere", "[fp64_int8]") {
  Random random(2);
  check_guard<Operands>(shapes, ComputeMode::fp64_int8, random);
}

TEST_CASE("too few moduli for such numbers fail Grade A", "[fp64_int8]") {
  Random random(3);
  check_too_few_moduli<Operands>(500, ComputeMode::fp64_int8, random);
}

TEST_CASE("products of small integers are exact", "[fp64_int8]") {
  Random random(4);
  check_small_integers<Operands>({{33, 20, 700}, {1, 140, 90}, {150, 2, 1}}, ComputeMode::fp64_int8, random);
}

TEST_CASE("infinity and NaN give what they give in fp64", "[fp64_int8]") {
  Random random(5);
  check_specials<Operands>(ComputeMode::fp64_int8, random);
}

TEST_CASE("bits do not depend on threads, blocks and the workspace that is allowed", "[fp64_int8]") {
  Random random(6);
  check_same_bits<Operands>({{300, 290, 530}, {129, 400, 1100}, {5, 700, 40}}, ComputeMode::fp64_int8,
                            1500000, random);
}

TEST_CASE("each entry of a batch has a guard of its own", "[fp64_int8]") {
  Random random(8);
  check_entries<Operands>(ComputeMode::fp64_int8, random);
}

TEST_CASE("the plan tells moduli, workspace and why fp64 itself", "[fp64_int8]") {
  const GemmPlan plan = explain<double>(instance(), {1000, 1000, 1000}, guarded);
  CHECK((plan.kernel == Kernel::packed && plan.math == ComputeMode::fp64_int8 && plan.moduli == 0));
  CHECK((plan.threads == 4 && plan.columns == 128 && plan.workspace > 4 * 1000000 &&
         plan.workspace < 4 * 3000000));
  CHECK((plan.why == detail::why_int8 && steps_of(plan).size() == 3));
  const GemmPlan named = explain<double>(instance(), {10, 10, 10}, with_moduli(14));
  CHECK((named.moduli == 14 && named.threads == 1 && named.single_threaded));
  const GemmPlan nothing = explain<double>(instance(), {10, 10, 0}, guarded);
  CHECK((nothing.math == ComputeMode::fp64 && nothing.why == "fp64 itself: there is nothing to multiply"));
  CHECK(explain<double>(instance(), {1000, 1000, 1000}).math == ComputeMode::fp64);  // only on request
  // A stored plan computes the same bits.
  Random random(9);
  const Operands x = operands_of("normal", {150, 140, 130}, random);
  Numbers c(150, 140);
  const GemmPlan kept = explain(instance(), 1, x.a.ref(), x.b.ref(), 0, c.ref(), guarded);
  run(kept, instance(), 1, x.a.ref(), x.b.ref(), 0, c.ref());
  CHECK(same_bits(c, product(x, guarded)));
}

TEST_CASE("a number of moduli outside 13 to 16, or for another mode, is refused", "[fp64_int8]") {
  const auto refusal = [](const GemmOptions& options) {
    return problem([&] { static_cast<void>(explain<double>(instance(), {9, 9, 9}, options)); });
  };
  for (const int moduli : {-1, 1, 12, 17})
    CHECK(refusal(with_moduli(moduli)) == "no such number of moduli (" + std::to_string(moduli) + ")");
  CHECK(refusal({.moduli = 14}) == "number of moduli for a mode without them (14, fp64)");
  CHECK(refusal({.kernel = Kernel::naive, .math = ComputeMode::fp64_int8}) ==
        "kernel does not compute in fp64_int8 (naive)");
}

TEST_CASE("small products of all kinds are within Grade A", "[fp64_int8]") {
  const int passed = try_small_products<Operands>(3000, ComputeMode::fp64_int8);
  CHECK((passed > 1000 && passed < 2900));
}
TEST_CASE("a million small products of all kinds are within Grade A",
          "[.][million]") {  // takes minutes: run it by name
  const int passed = try_small_products<Operands>(1000000, ComputeMode::fp64_int8);
  WARN("the guard passed " << passed << " of them");
}

}  // namespace
}  // namespace rooftile::testing
