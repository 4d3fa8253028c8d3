// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// E4 to E6 of docs/fp64-from-int8.md: residues of integers in fp64, and of sums of products in int32.
#include "rooftile/device/residues/residue.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>

#include <catch2/catch_test_macros.hpp>

namespace rooftile::residues {
namespace {

/// Whether r is the residue of x that is nearest to zero.
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
  for (int n = 0; n < 100000; ++n) {  // of every magnitude, as fp64 has them
    const auto x = static_cast<double>(static_cast<std::int64_t>(draw()) >> (1 + draw() % 63));
    check(x), check(-x);
  }
  for (int bits = 0; bits <= 62; ++bits) {
    const double power = std::ldexp(1.0, bits);
    for (const double x : {power, std::nextafter(power, 0.0), power - 1, power + 1, power / 2 + power / 4}) {
      if (x == std::rint(x)) check(x), check(-x);
    }
  }
  for (int i = 0; i < max_moduli;
       ++i) {  // halfway between multiples of p, and where low is as large as it gets
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

TEST_CASE("int32 holds as many products of residues as are summed up, and a residue", "[residues]") {
  CHECK(max_products * 128 * 128 + 128 <= std::numeric_limits<std::int32_t>::max());
  CHECK((max_products + 1) * 128 * 128 > std::numeric_limits<std::int32_t>::max());
}

}  // namespace
}  // namespace rooftile::residues
