// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Complex fp64 from int8 products on CPUs, compared with real products whose K is twice as long
// (`fp64_int8.cpp`).
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "numerics/residue.hpp"
#include "plan/int8_choice.hpp"
#include "tests/backends/openmp/int8_products.hpp"

namespace rooftile::testing {
namespace {

constexpr GemmOptions guarded{.math = ComputeMode::cfp64_int8};

GemmOptions with_moduli(int moduli) {
  return {.math = ComputeMode::cfp64_int8, .moduli = moduli};
}

constexpr GemmShape shapes[] = {{1, 1, 1}, {3, 5, 2}, {17, 9, 32}, {20, 15, 333}, {3, 7, 650}};

TEST_CASE("complex products have the bits of the real ones that they consist of", "[cfp64_int8]") {
  Random random(1);
  for (const std::string_view kind : kinds) {
    for (const GemmShape& shape : shapes) {
      const ComplexOperands x = complex_operands(kind, shape, random);
      const Operands real = x.real();
      for (int moduli = residues::min_moduli; moduli <= residues::max_moduli; ++moduli) {
        INFO(kind << " " << to_string(shape) << " " << moduli << " moduli");
        const Numbers found = product(x, with_moduli(moduli)).parts();
        Numbers c(2 * shape.m, shape.n);
        gemm(instance(), 1, real.a.ref(), real.b.ref(), 0, c.ref(),
             {.math = ComputeMode::fp64_int8, .moduli = moduli});
        CHECK(found.data == c.data);
        CHECK(count_beyond_e8(real, found, moduli) == 0);
      }
    }
  }
}

TEST_CASE("the guard proves Grade A of both parts, and takes fp64 itself elsewhere", "[cfp64_int8]") {
  Random random(2);
  check_guard<ComplexOperands>(shapes, ComputeMode::cfp64_int8, random);
}

TEST_CASE("too few moduli for such complex numbers fail Grade A", "[cfp64_int8]") {
  Random random(3);
  check_too_few_moduli<ComplexOperands>(250, ComputeMode::cfp64_int8, random);
}

TEST_CASE("numbers without an imaginary part go to fp64 itself", "[cfp64_int8]") {
  Random random(4);
  ComplexOperands x = complex_operands("normal", {9, 8, 100}, random);
  for (Complex& a : x.a.data) a.im = 0;
  CHECK(int8_guard(x.a.ref(), x.b.ref()).moduli == 0);
  CHECK(same_bits(product(x, guarded), product(x, {})));
}

TEST_CASE("complex products of small integers are exact", "[cfp64_int8]") {
  Random random(5);
  check_small_integers<ComplexOperands>({{33, 20, 600}, {1, 140, 90}, {150, 2, 1}}, ComputeMode::cfp64_int8,
                                        random);
}

TEST_CASE("infinity and NaN in either part give what they give in fp64", "[cfp64_int8]") {
  Random random(6);
  check_specials<ComplexOperands>(ComputeMode::cfp64_int8, random);
}

TEST_CASE("bits of complex products do not depend on threads, blocks and the workspace", "[cfp64_int8]") {
  Random random(7);
  check_same_bits<ComplexOperands>({{200, 190, 530}, {129, 260, 1100}, {5, 500, 40}}, ComputeMode::cfp64_int8,
                                   1 << 24, random);
}

TEST_CASE("each entry of a complex batch has a guard of its own", "[cfp64_int8]") {
  Random random(9);
  check_entries<ComplexOperands>(ComputeMode::cfp64_int8, random);
}

TEST_CASE("the plan of a complex product tells its mode, and why fp64 itself", "[cfp64_int8]") {
  const GemmPlan plan = explain<Complex>(instance(), {1000, 1000, 1000}, guarded);
  CHECK((plan.kernel == Kernel::packed && plan.math == ComputeMode::cfp64_int8 && plan.moduli == 0));
  CHECK((plan.threads == 4 && plan.columns == 128 && plan.workspace > 4 * 2000000 &&
         plan.workspace < 4 * 4194304));
  CHECK(plan.why == detail::why_int8);
  const GemmPlan nothing = explain<Complex>(instance(), {10, 10, 0}, guarded);
  CHECK((nothing.math == ComputeMode::cfp64 && nothing.why == "fp64 itself: there is nothing to multiply"));
  const auto why = [](Index k) { return explain<Complex>(instance(), {1, 1, k}, guarded).why; };
  CHECK(why(residues::max_k / 2) == detail::why_int8);
  CHECK(why(residues::max_k / 2 + 1) == "fp64 itself: K is longer than what products of int8 are proven for");
  CHECK(explain<Complex>(instance(), {1000, 1000, 1000}).math == ComputeMode::cfp64);  // only on request
  ComplexNumbers c(3, 4);                                                              // K = 0 scales C
  for (Complex& z : c.data) z = {1, 2};
  gemm(instance(), Complex(1), row_major<const Complex>(nullptr, 3, 0),
       row_major<const Complex>(nullptr, 0, 4), Complex(0, 1), c.ref(), guarded);
  CHECK(c.data == std::vector<Complex>(12, Complex(-2, 1)));
}

TEST_CASE("small complex products of all kinds are within Grade A", "[cfp64_int8]") {
  const int passed = try_small_products<ComplexOperands>(3000, ComputeMode::cfp64_int8);
  CHECK((passed > 1000 && passed < 2900));
}
TEST_CASE("a million small complex products are within Grade A",
          "[.][million]") {  // takes minutes: run it by name
  const int passed = try_small_products<ComplexOperands>(1000000, ComputeMode::cfp64_int8);
  WARN("the guard passed " << passed << " of them");
}

}  // namespace
}  // namespace rooftile::testing
