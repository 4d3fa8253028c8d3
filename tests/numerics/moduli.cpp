// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// E1 and E4 to E7 of docs/numerics.md: moduli, their constants, residues, and reconstruction of integers from
// residues.
#include "numerics/moduli.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "numerics/reconstruct.hpp"
#include "numerics/residue.hpp"

namespace rooftile::residues {
namespace {

__extension__ typedef __int128 Signed;

/// The integer that three words represent.
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

TEST_CASE("the product of the moduli has the bits that fp64 needs, and fits three words", "[residues]") {
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

TEST_CASE("three words, two of them centred, stand for a number", "[residues]") {
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

/// Whether r is the residue of x with the smallest magnitude.
bool is_residue(std::int64_t x, std::int8_t r, int p) {
  return 2 * std::abs(r) <= p && (x % p - r) % p == 0;
}

template <class F>
void for_each_modulus(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (f(std::integral_constant<int, i>()), ...);
  }
  (std::make_integer_sequence<int, max_moduli>());
}

TEST_CASE("integers up to 2^62 have the residues of exact arithmetic", "[residues]") {
  std::mt19937_64 draw(20);
  unsigned wrong = 0;
  const auto check = [&](double x) {
    const Split parts = split(x);
    wrong += parts.high * 0x1p30 + parts.low != x || std::abs(parts.low) > 0x1p29;
    for_each_modulus([&]<int i>(std::integral_constant<int, i>) {
      wrong += !is_residue(static_cast<std::int64_t>(x), residue<i>(parts), moduli[i]);
    });
  };
  for (int n = 0; n < 100000; ++n) {  // of every magnitude
    const auto x = static_cast<double>(static_cast<std::int64_t>(draw()) >> (1 + draw() % 63));
    check(x), check(-x);
  }
  for (int bits = 0; bits <= 62; ++bits) {
    const double power = std::ldexp(1.0, bits);
    for (const double x : {power, std::nextafter(power, 0.0), power - 1, power + 1, power / 2 + power / 4}) {
      if (x == std::rint(x)) check(x), check(-x);
    }
  }
  for (int i = 0; i < max_moduli; ++i) {  // midpoints between multiples of p, and the largest `low`
    for (int n = -1000; n <= 1000; ++n) check(n * moduli[i] + (n % 2) * (moduli[i] / 2));
    for (int n = -300; n <= 300; ++n) check(0x1p29 + n), check(0x1p60 + 0x1p29 + 256 * n);
  }
  CHECK(wrong == 0);
}

TEST_CASE("sums have the residues of exact arithmetic at both ends of int32, at zero and between",
          "[residues]") {
  constexpr std::int64_t first = std::numeric_limits<std::int32_t>::min(),
                         last = std::numeric_limits<std::int32_t>::max();
  unsigned wrong = 0;
  for_each_modulus([&]<int i>(std::integral_constant<int, i>) {
    const auto check = [&](std::int64_t sum) {
      wrong += !is_residue(sum, residue<i>(static_cast<std::int32_t>(sum)), moduli[i]);
    };
    for (std::int64_t n = 0; n < 70000; ++n) check(first + n), check(last - n), check(n), check(-n);
    for (std::int64_t sum = first; sum <= last; sum += 65521) check(sum);
  });
  CHECK(wrong == 0);
}

TEST_CASE("int32 holds the largest sum of products of residues, and a residue", "[residues]") {
  CHECK(max_products * 128 * 128 + 128 <= std::numeric_limits<std::int32_t>::max());
  CHECK((max_products + 1) * 128 * 128 > std::numeric_limits<std::int32_t>::max());
}

/// Reconstructs x from its residues.
template <int s>
double from_residues(Signed x) {
  return reconstruct<s>([x](int i) {
    const int r = static_cast<int>((x % moduli[i] + moduli[i]) % moduli[i]);
    return static_cast<double>(2 * r >= moduli[i] ? r - moduli[i] : r);
  });
}

/// Whether the reconstruction of x is within a rounding of x. The difference of the two integers times 2⁵³
/// fits 128 bits.
template <int s>
bool is_near(Signed x) {
  const Signed off = static_cast<Signed>(from_residues<s>(x)) - x, magnitude = x < 0 ? -x : x;
  const Signed distance = off < 0 ? -off : off;
  return distance < (Signed{1} << 73) && (distance << 53) <= magnitude + (magnitude >> 41);
}

template <int s>
void check_reconstruction() {
  std::mt19937_64 draw(7);
  const auto limit = static_cast<Signed>(squared_limit(s));
  unsigned wrong = 0;
  const auto check = [&](Signed x) {
    x = x > limit ? limit : x < -limit ? -limit : x;
    wrong += !is_near<s>(x);
    wrong += !is_near<s>(-x);
  };
  const auto bits = [&](int count) {  // a number of `count` bits
    const Signed all = static_cast<Signed>((Wide{draw()} << 64 | Wide{draw()}) >> 2);
    return count > 0 ? all >> (126 - count) : Signed{0};
  };
  for (int n = 0; n < 20000; ++n) check(bits(static_cast<int>(draw() % 126)));
  for (int n = 0; n < 2000; ++n) {
    check(limit - bits(n % 100));                                        // near P / 2
    check((bits(40) << 84) + bits(n % 84) * (n % 2 == 0 ? 1 : -1));      // words that are zero or cancel
    check((Signed{1} << (n % 124)) + static_cast<Signed>(n / 124) - 8);  // near powers of two
    check(static_cast<Signed>(n));
    check(static_cast<Signed>(product_of(s) / 3) + n);
    for (int i = 0; i < 2; ++i)  // a residue of maximum magnitude
      check(static_cast<Signed>(product_of(s) / static_cast<Wide>(moduli[i])) * (n % moduli[i]) / 2);
  }
  CHECK(wrong == 0);
  CHECK(from_residues<s>(0) == 0);
  CHECK(from_residues<s>((Signed{1} << 53) - 1) == 0x1p53 - 1);
}

TEST_CASE("integers come back from their residues within a rounding", "[residues]") {
  check_reconstruction<13>();
  check_reconstruction<14>();
  check_reconstruction<15>();
  check_reconstruction<16>();
}

TEST_CASE("the multiple of P in a sum is found from two words, one is not enough", "[residues]") {
  // Reason for the second word: without it, this valid integer would be reconstructed incorrectly.
  constexpr int s = 13;
  const auto limit = static_cast<Signed>(squared_limit(s));
  unsigned differ = 0;
  for (int n = 0; n < 1000; ++n) {
    const Signed x = limit - (static_cast<Signed>(n) << 70);
    Words sum{};
    for (int i = 0; i < s; ++i) {
      const Words& w = remainders<s>.weights[i];
      const double r = centred(static_cast<Wide>(x), moduli[i]);
      sum = {sum.x + r * w.x, sum.y + r * w.y, sum.z + r * w.z};
    }
    const double inverse = remainders<s>.inverse;
    differ += std::nearbyint(sum.x * 0x1p42 * inverse) != std::nearbyint((sum.x * 0x1p42 + sum.y) * inverse);
    CHECK(is_near<s>(x));
  }
  CHECK(differ > 0);
}

}  // namespace
}  // namespace rooftile::residues
