// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// fp64 from products of int8 on Hopper's tensor cores: the bound of docs/fp64-from-int8.md on all kinds of
// numbers, and any layouts; and fp64 itself where the guard asks for it.
#include "rooftile/fp64_int8.hpp"

#include <limits>

#include "int8_product.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Layout any_layout(Random& random) {
  return {random() % 2 == 0, static_cast<Index>(random() % 3), random() % 4 == 0 ? 2 : 1,
          static_cast<Index>(random() % 3)};
}

/// @param moduli  that the product takes; 0: fp64 itself
std::string fault(OnDevice& product, const Operands& x, const Numbers& before, const Layout& c, double alpha,
                  double beta, int named, int moduli) {
  const std::vector<double> found = product.computed(by_int8(named));
  if (moduli == 0) return same_bits(found, product.in_fp64(by_int8(named))) ? "" : "not fp64 itself";
  const int wrong = count_wrong(x, before, c, alpha, beta, moduli, named == 0, found);
  return wrong == 0 ? "" : std::to_string(wrong) + " elements wrong";
}

TEST_CASE("fp64 from products of int8 keeps its bound on all kinds of numbers, in any layout",
          "[fp64_int8]") {
  need_int8();
  Random random(1);
  int passed = 0, refused = 0;
  for (const GemmShape& shape : {GemmShape{1, 1, 1},
                                 {3, 5, 2},
                                 {40, 30, 333},
                                 {129, 260, 64},
                                 {6, 7, 3000},
                                 {300, 33, 129},
                                 {17, 513, 128}}) {
    for (const std::string_view kind : kinds) {
      for (const int named : {0, 13, 16}) {
        const Operands x = operands_of(kind, shape, random);
        Numbers before(shape.m, shape.n);
        const double beta = random() % 2 == 0 ? 0 : -0.5, alpha = random() % 2 == 0 ? 1 : 2;
        const double old = beta == 0 ? nan : number_of(kind, random);
        for (double& c : before.data) c = old;
        const OnDevice::Layouts layouts{any_layout(random), any_layout(random), any_layout(random)};
        OnDevice product(x, before, layouts, alpha, beta);
        const int moduli = named > 0 ? named : product.guard().moduli;
        INFO(kind << ' ' << to_string(shape) << ", named " << named << ", " << moduli << " moduli");
        CHECK(fault(product, x, before, layouts.c, alpha, beta, named, moduli) == "");
        ++(moduli > 0 ? passed : refused);
      }
    }
  }
  CHECK((passed > 250 && refused > 20));
}

TEST_CASE("the guard on the device finds what that of the host does", "[fp64_int8]") {
  need_int8();
  Random random(2);
  const OnDevice::Layouts layouts{{false, 0}, {false, 1}, {false, 0}};
  for (const GemmShape& shape : {GemmShape{20, 30, 1024}, {7, 40, 5}, {64, 64, 300}}) {
    for (const std::string_view kind : kinds) {
      const Operands x = operands_of(kind, shape, random);
      const Int8Guard here = int8_guard(x.a.ref(), x.b.ref());
      const Int8Guard there = OnDevice(x, Numbers(shape.m, shape.n), layouts, 1, 0).guard();
      INFO(kind << ' ' << to_string(shape));
      CHECK((there.moduli == here.moduli && there.why == here.why));
      CHECK((there.a.finite && there.b.finite));
    }
  }
  Operands x = operands_of("normal", {20, 30, 40}, random);
  x.b(3, 4) = nan;
  const Int8Guard found = OnDevice(x, Numbers(20, 30), layouts, 1, 0).guard();
  CHECK((found.a.finite && !found.b.finite && found.moduli == 0));
  CHECK(found.why == "fp64 itself: an element is infinite or NaN");
}

TEST_CASE("the guard on the device answers of nothing, and refuses what does not conform", "[fp64_int8]") {
  need_int8();
  const Buffer<double> memory(device(), 64);
  const auto guard = [&](Index m, Index n, Index k) {
    return cuda_native::int8_guard(nullptr, row_major<const double>(memory.data(), m, k),
                                   row_major<const double>(memory.data(), k, n));
  };
  CHECK(guard(4, 4, 0).why == "fp64 itself: there is nothing to multiply");
  CHECK(guard(0, 4, 4).moduli == residues::min_moduli);
  CHECK(refused([&] {
          cuda_native::int8_guard(nullptr, row_major<const double>(memory.data(), 4, 5),
                                  row_major<const double>(memory.data(), 4, 4));
        }) != "");
  CHECK(refused([&] {
          cuda_native::int8_guard(nullptr, row_major<const double>(nullptr, 4, 4),
                                  row_major<const double>(memory.data(), 4, 4));
        }).starts_with("null data of A"));
}

TEST_CASE("infinity and NaN give what they give in fp64, with a number of moduli by name, too",
          "[fp64_int8]") {
  need_int8();
  Random random(3);
  const OnDevice::Layouts layouts{{false, 0}, {true, 0}, {true, 2}};
  for (const double x : {std::numeric_limits<double>::infinity(), nan}) {
    for (const bool in_a : {true, false}) {
      for (const int named : {0, 16}) {
        Operands of = operands_of("normal", {20, 30, 40}, random);
        (in_a ? of.a : of.b)(7, 3) = x;
        Numbers before(20, 30);
        before(3, 4) = 5;
        OnDevice product(of, before, layouts, 1, 0);
        const std::vector<double> found = product.computed(by_int8(named));
        CHECK(same_bits(found, product.in_fp64(by_int8(named))));
        CHECK(std::any_of(found.begin(), found.end(), [](double c) { return !std::isfinite(c); }));
      }
    }
  }
}

TEST_CASE("fp64 from products of int8 of small integers is exact, and the same in each run", "[fp64_int8]") {
  need_int8();
  Random random(4);
  const Operands x = operands_of("small integers", {150, 270, 700}, random);
  OnDevice product(x, Numbers(150, 270), {}, 1, 0);
  REQUIRE(product.guard().moduli > 0);
  const std::vector<double> found = product.computed(by_int8());
  int wrong = 0;
  for (Index i = 0; i < 150; ++i) {
    for (Index j = 0; j < 270; ++j)
      wrong += found[static_cast<std::size_t>(i * 270 + j)] != exact_element(x, i, j).sum;
  }
  CHECK(wrong == 0);
  OnDevice other(operands_of("normal", {500, 600, 4000}, random), Numbers(500, 600), {}, 1, 0);
  const std::vector<double> first = other.computed(by_int8());
  for (int run = 0; run < 5; ++run) CHECK(same_bits(other.computed(by_int8()), first));
}

}  // namespace
}  // namespace rooftile::testing
