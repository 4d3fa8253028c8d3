// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// E1 of docs/fp64-from-int8.md: the moduli, and the constants that are computed from them.
#include "rooftile/device/residues/moduli.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include <catch2/catch_test_macros.hpp>

namespace rooftile::residues {
namespace {

__extension__ typedef __int128 Signed;

/// The number that words stand for.
Signed value_of(const Words& w) {
  constexpr Signed base = Signed{1} << 42;
  return (static_cast<Signed>(w.x) * base + static_cast<Signed>(w.y)) * base + static_cast<Signed>(w.z);
}

TEST_CASE("moduli are pairwise coprime, and their residues fit eight bits", "[residues]") {
  for (int i = 0; i < max_moduli; ++i) {
    CHECK(moduli[i] <= 256);
    for (int j = 0; j < i; ++j) CHECK(std::gcd(moduli[i], moduli[j]) == 1);
  }
}

TEST_CASE("the product of the moduli is what the steps of fp64 want, and fits three words", "[residues]") {
  constexpr double beta[] = {50.762, 54.581, 58.392, 62.188};  // (log2(P) - 1) / 2
  for (int s = min_moduli; s <= max_moduli; ++s) {
    const double log = std::log2(static_cast<double>(product_of(s)));
    CHECK(std::abs((log - 1) / 2 - beta[s - min_moduli]) < 5e-4);
    CHECK(log < 126);
    // 4^β' is at most (P - 1) / 2, and less by 2⁻¹⁹.
    const double margin = 1 - squared_limit(s) / (static_cast<double>(product_of(s) - 1) / 2);
    CHECK((margin > 0x0.Fp-19 && margin < 0x1.1p-19));
  }
}

TEST_CASE("centred residues are those nearest to zero", "[residues]") {
  CHECK(centred(128, 256) == -128);
  CHECK(centred(127, 256) == 127);
  [&]<int... i>(std::integer_sequence<int, i...>) {
    const auto check = [](const Modulus& m, int p) {
      CHECK((m.p == p && m.inverse == 1.0 / p));
      const auto shift = static_cast<std::int64_t>(m.shift);
      CHECK((2 * std::abs(shift) <= p && ((std::int64_t{1} << 30) - shift) % p == 0));
      CHECK(m.reciprocal == std::uint64_t{0x100000000} / static_cast<std::uint64_t>(p));
    };
    (check(modulus<i>, moduli[i]), ...);
  }
  (std::make_integer_sequence<int, max_moduli>());
}

TEST_CASE("words are a number's, two of them centred", "[residues]") {
  for (const Wide value : {Wide{0}, Wide{1}, Wide{1} << 41, (Wide{1} << 41) + 1, Wide{1} << 42, Wide{1} << 83,
                           (Wide{1} << 84) - 1, (Wide{1} << 126) - 1, product_of(13), product_of(16)}) {
    const Words w = words(value);
    CHECK((std::abs(w.y) <= 0x1p41 && std::abs(w.z) <= 0x1p41 && w.x >= 0));
    CHECK((value_of(w) == static_cast<Signed>(value)));
  }
}

template <int s>
void check_weights() {
  const Remainders<s>& r = remainders<s>;
  CHECK((value_of(r.product) == static_cast<Signed>(product_of(s))));
  CHECK(r.inverse == 0x1p42 / static_cast<double>(product_of(s)));
  for (int i = 0; i < s; ++i) {
    const Signed weight = value_of(r.weights[i]);
    CHECK((weight > 0 && weight < static_cast<Signed>(product_of(s))));
    for (int j = 0; j < s; ++j) CHECK((weight % moduli[j] == (i == j ? 1 : 0)));
  }
}

TEST_CASE("a weight is 1 modulo its modulus and 0 modulo the others", "[residues]") {
  check_weights<13>();
  check_weights<14>();
  check_weights<15>();
  check_weights<16>();
}

}  // namespace
}  // namespace rooftile::residues
