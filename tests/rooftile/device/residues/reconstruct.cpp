// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// E7 of docs/fp64-from-int8.md: integers from their residues, against 128 bits.
#include "rooftile/device/residues/reconstruct.hpp"

#include <cmath>
#include <random>

#include <catch2/catch_test_macros.hpp>

namespace rooftile::residues {
namespace {

__extension__ typedef __int128 Signed;

/// What `reconstruct` makes of an integer's residues.
template <int s>
double from_residues(Signed x) {
  return reconstruct<s>([x](int i) {
    const int r = static_cast<int>((x % moduli[i] + moduli[i]) % moduli[i]);
    return static_cast<double>(2 * r >= moduli[i] ? r - moduli[i] : r);
  });
}

/// Whether it is within a rounding of it. Both are integers, which 128 bits hold 2⁵³ times the difference of.
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
  const auto bits = [&](int count) {  // a number of so many
    const Signed all = static_cast<Signed>((Wide{draw()} << 64 | Wide{draw()}) >> 2);
    return count > 0 ? all >> (126 - count) : Signed{0};
  };
  for (int n = 0; n < 20000; ++n) check(bits(static_cast<int>(draw() % 126)));
  for (int n = 0; n < 2000; ++n) {
    check(limit - bits(n % 100));                                        // near P / 2
    check((bits(40) << 84) + bits(n % 84) * (n % 2 == 0 ? 1 : -1));      // words that are zero, or cancel
    check((Signed{1} << (n % 124)) + static_cast<Signed>(n / 124) - 8);  // near powers of two
    check(static_cast<Signed>(n));
    check(static_cast<Signed>(product_of(s) / 3) + n);
    for (int i = 0; i < 2; ++i)  // a residue at its end
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

TEST_CASE("how often P is in the sum takes two words", "[residues]") {
  // The reason for the second word: without it this integer, which is allowed, would come back as another.
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
