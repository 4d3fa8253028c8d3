// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// E2, E3 and E9 of docs/numerics.md: scale factors of rows, their integers, and the guard's number of moduli.
#include "numerics/scale.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "numerics/guard.hpp"
#include "numerics/moduli.hpp"

namespace rooftile::residues {
namespace {

using Limits = std::numeric_limits<double>;

RowScale of(const std::vector<double>& row) {
  return scale_of(static_cast<Index>(row.size()), [&](Index i) { return row[static_cast<std::size_t>(i)]; });
}

/// A number with any exponent and sign, but not infinite or NaN.
double any_number(std::mt19937_64& draw) {
  for (;;) {
    const auto x = std::bit_cast<double>(static_cast<std::uint64_t>(draw()));
    if (std::isfinite(x)) return x;
  }
}

TEST_CASE("exponents and powers are those of the C library", "[residues]") {
  std::mt19937_64 draw(1);
  unsigned wrong = 0;
  for (int n = 0; n < 100000; ++n) {
    const double x = n % 4 == 0 ? static_cast<double>(draw()) * Limits::denorm_min() : any_number(draw);
    if (x != 0) wrong += exponent_of(x) != std::ilogb(x);
    wrong += !is_finite(x);
  }
  for (int n = -1022; n <= 1023; ++n) wrong += power_of_two(n) != std::ldexp(1.0, n);
  CHECK(wrong == 0);
  for (const double x : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) CHECK(!is_finite(x));
  CHECK(exponent_of(Limits::denorm_min()) == -1074);
}

TEST_CASE("a power of two is multiplied by with one rounding", "[residues]") {
  std::mt19937_64 draw(2);
  unsigned wrong = 0;
  for (int n = 0; n < 200000; ++n) {
    const int exponent = static_cast<int>(draw() % 8001) - 4000;
    const double integer = static_cast<double>(draw()) * std::ldexp(1.0, static_cast<int>(draw() % 60));
    wrong += times_power(integer, exponent) != std::ldexp(integer, exponent);
    const double any = any_number(draw), scaled = std::ldexp(any, exponent);
    if (std::abs(scaled) < 0x1p63) wrong += rounded(times_power(any, exponent)) != std::nearbyint(scaled);
  }
  CHECK(wrong == 0);
}

TEST_CASE("numbers round to the nearest integer, ties to even", "[residues]") {
  std::mt19937_64 draw(3);
  unsigned wrong = 0;
  for (int n = 0; n < 100000; ++n) {
    const double x =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(draw())), -static_cast<int>(draw() % 70));
    const double half = std::floor(x) + 0.5;
    wrong += (rounded(x) != std::nearbyint(x)) + (rounded(half) != std::nearbyint(half));
  }
  CHECK(wrong == 0);
}

TEST_CASE("a row's power of two is the largest that its norm allows", "[residues]") {
  std::mt19937_64 draw(4);
  unsigned too_large = 0, too_small = 0;
  for (int n = 0; n < 2000; ++n) {
    std::vector<double> row(1 + draw() % 40);
    const int exponent = static_cast<int>(draw() % 2000) - 1040, width = static_cast<int>(draw() % 60) + 1;
    for (double& x : row)
      x = std::ldexp(static_cast<double>(draw()),
                     exponent - 64 - static_cast<int>(draw() % static_cast<unsigned>(width)));
    for (int s = min_moduli; s <= max_moduli; ++s) {
      const int e = scaling_exponent(of(row), squared_limit(s));
      long double squares = 0, of_integers = 0;  // 64 bits: sums in double could exceed the limit
      for (const double x : row) {
        const long double scaled = std::ldexp(static_cast<long double>(x), e);
        squares += scaled * scaled;
        const auto integer = static_cast<long double>(integer_of(x, e));
        of_integers += integer * integer;
        too_large += std::abs(integer) >= 0x1p63L;
      }
      const auto limit = static_cast<long double>(squared_limit(s));
      if (row.size() == 1 && row[0] == 0) continue;
      too_large += squares > limit || of_integers > limit * (1 + 0x1p-30L);
      if (squares > 0) too_small += 4 * squares * (1 + 0x1p-40L) <= limit;
    }
  }
  CHECK(too_large == 0);
  CHECK(too_small == 0);
}

TEST_CASE("numbers near both ends of fp64 are scaled as others", "[residues]") {
  for (const double x : {Limits::max(), Limits::min(), Limits::denorm_min(), 3 * Limits::denorm_min()}) {
    const int e = scaling_exponent(of({x, x}), squared_limit(14));
    const double a = integer_of(x, e);
    CHECK((a >= 0x1p52 && a < 0x1p55));
    CHECK(times_power(a, -e) == x);
    CHECK(integer_of(-x, e) == -a);
  }
  const int e = scaling_exponent(of({Limits::max(), Limits::denorm_min()}), squared_limit(14));
  CHECK(integer_of(Limits::denorm_min(), e) == 0);
}

TEST_CASE("zeros, infinity and NaN are told apart", "[residues]") {
  CHECK((of({}).squares == 0 && of({0.0, -0.0}).squares == 0));
  CHECK(scaling_exponent(of({0.0, 0.0}), squared_limit(13)) == 0);
  for (const double x : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    CHECK(of({1.0, x, 2.0}).squares == Limits::infinity());
    CHECK(of({x}).depth == depths);
  }
}

TEST_CASE("the depth of a row is what three quarters of its elements reach", "[residues]") {
  CHECK(of({1, 1, 1, 1}).depth == 0);
  CHECK(of({1, 1.9, -1.5, 0}).depth == 0);
  CHECK(of({1, 1, 0.25, 0}).depth == 2);
  CHECK(of({1, 1.5, 0, 0}).depth == depths);  // with {1, 1, 0, 0}, g++ 12 emits four ones for AVX-512
  CHECK(of({8, 4, 2, 1}).depth == 2);
  CHECK(of({8, 4, 2, 1, 1}).depth == 3);
  CHECK(of({1, 0x1p-63}).depth == 63);
  CHECK(of({1, 0x1p-64}).depth == depths);
  CHECK(of({1, Limits::denorm_min()}).depth == depths);
  CHECK((of({3, 4}).exponent == 2 && of({3, 4}).squares >= 25.0 / 16 &&
         of({3, 4}).squares < 25.0 / 16 + 1e-14));
}

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Draws `rows` rows of K elements.
template <class Draw>
Spread spread(int rows, Index k, const Draw& draw) {
  Spread all;
  for (int i = 0; i < rows; ++i) {
    std::vector<double> row(static_cast<std::size_t>(k));
    for (double& x : row) x = draw();
    Spread one;
    add_row(one, scale_of(k, [&](Index n) { return row[static_cast<std::size_t>(n)]; }), k);
    all.add(one);
  }
  return all;
}

TEST_CASE("the guard takes more moduli for numbers of more magnitudes", "[residues]") {
  std::mt19937_64 random(9);
  constexpr Index k = 1024;
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const auto of = [&](const auto& draw) {
    const Spread a = spread(100, k, draw), b = spread(100, k, draw);
    return moduli_for(a, b, k);
  };
  const auto lognormal = [&](double phi) {  // as in papers on these products
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
  // The bound 4·√K·2^-β'·R_A·R_B <= K·2⁻⁵³, tested on both sides.
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
    add_row(spread, scale_of(k, [&](Index i) { return i == k - 1 ? last : x; }), k);
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
