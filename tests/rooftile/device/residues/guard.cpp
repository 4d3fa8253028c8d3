// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// E9 of docs/fp64-from-int8.md: how many moduli the guard takes for which numbers.
#include "rooftile/device/residues/guard.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace rooftile::residues {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Of so many rows of K elements that are drawn.
template <class Draw>
Spread spread(int rows, Index k, const Draw& draw) {
  Spread all;
  for (int i = 0; i < rows; ++i) {
    std::vector<double> row(static_cast<std::size_t>(k));
    for (double& x : row) x = draw();
    Spread one;
    one.add(scale_of(k, [&](Index n) { return row[static_cast<std::size_t>(n)]; }), k);
    all.add(one);
  }
  return all;
}

TEST_CASE("the guard takes as many moduli as the numbers want", "[residues]") {
  std::mt19937_64 random(9);
  constexpr Index k = 1024;
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const auto of = [&](const auto& draw) {
    const Spread a = spread(100, k, draw), b = spread(100, k, draw);
    return moduli_for(a, b, k);
  };
  const auto lognormal = [&](double phi) {  // as papers on these products have it
    return [&, phi] { return (uniform(random) - 0.5) * std::exp(phi * normal(random)); };
  };
  CHECK(of([] { return 1.0; }) == 13);
  CHECK(of([&] { return uniform(random); }) == 14);
  CHECK(of([&] { return normal(random); }) == 14);
  CHECK(of(lognormal(0.5)) == 15);
  CHECK(of(lognormal(1)) == 16);
  CHECK(of(lognormal(2)) == 0);
  CHECK(of([&] { return random() % 3 == 0 ? 0.0 : 1.0; }) == 0);  // more than a quarter of zeros
  CHECK(of([&] { return random() % 5 == 0 ? 0.0 : 1.0; }) == 13);
}

TEST_CASE("the guard's condition is that of the proof", "[residues]") {
  // 4·√K·2^-β'·R_A·R_B <= K·2⁻⁵³, from both sides.
  for (const Index k : {Index{1}, Index{16}, Index{1000}, Index{1} << 20}) {
    for (int s = min_moduli; s <= max_moduli; ++s) {
      const double most = std::sqrt(static_cast<double>(k)) * 0x1p-55 * std::sqrt(squared_limit(s));
      const auto taken = [&](double ra, double rb) {
        return moduli_for({ra * ra, true}, {rb * rb, true}, k);
      };
      CHECK(taken(most * 0.999, 1) == s);
      CHECK(taken(1, most * 0.999) == s);
      CHECK(taken(most * 1.001 / 3, 3) == (s < max_moduli ? s + 1 : 0));
    }
  }
}

TEST_CASE("rows of zeros pass the guard, infinity, NaN and too long ones do not", "[residues]") {
  const auto of_row = [](Index k, double x, double last) {
    Spread spread;
    spread.add(scale_of(k, [&](Index i) { return i == k - 1 ? last : x; }), k);
    return spread;
  };
  const Spread ones = of_row(64, 1, 1), zeros = of_row(64, 0, 0), one = of_row(64, 0, 1);
  CHECK(zeros.squared == 0);
  CHECK(moduli_for(ones, zeros, 64) == 13);
  CHECK(moduli_for(zeros, zeros, 0) == 13);
  CHECK(moduli_for(ones, one, 64) == 0);
  CHECK(moduli_for(zeros, one, 64) == 0);
  for (const double x : {infinite, -infinite, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(moduli_for(ones, of_row(64, 1, x), 64) == 0);
    CHECK(moduli_for(of_row(64, 0, x), zeros, 64) == 0);
  }
  CHECK(moduli_for(ones, ones, max_k) == 13);
  CHECK(moduli_for(ones, ones, max_k + 1) == 0);
  Spread both = ones;
  both.add(of_row(64, 1, infinite));
  CHECK((!both.finite && both.squared == infinite));
}

}  // namespace
}  // namespace rooftile::residues
