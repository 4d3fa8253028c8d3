// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>

#include "rooftile/detail/function.hpp"

/// fp64 products from exact products of int8 modulo coprime numbers (docs/numerics.md): functions that
/// CPUs and kernels share, and the constants that they take, all computed from the moduli at compile time.
namespace rooftile::residues {

/// Pairwise coprime. A product in fp64 takes the first 13 to 16 of them.
inline constexpr int moduli[] = {256, 255, 253, 251, 247, 241, 239, 233,
                                 229, 227, 223, 217, 211, 199, 197, 193};
/// How many of them a product takes: the bits of fp64 at least, and what three words hold at most.
inline constexpr int min_moduli = 13, max_moduli = static_cast<int>(std::size(moduli));

/// 128 bits, which the product of all moduli fits.
__extension__ typedef unsigned __int128 Wide;

/// The product of the first s moduli.
constexpr Wide product_of(int s) {
  Wide product = 1;
  for (int i = 0; i < s; ++i) product *= static_cast<Wide>(moduli[i]);
  return product;
}

/// x modulo p as the number nearest to zero; of the two that are p / 2 away, the negative one.
constexpr int centred(Wide x, int p) {
  const int r = static_cast<int>(x % static_cast<Wide>(p));
  return 2 * r >= p ? r - p : r;
}

/// What residues modulo one number take.
struct Modulus {
  int p;                     ///< itself
  double inverse;            ///< 1 / p
  double shift;              ///< 2³⁰ modulo p, centred
  std::uint32_t reciprocal;  ///< ⌊2³² / p⌋
};

/// The constants of modulus i.
template <int i>
inline constexpr Modulus modulus = [] {
  constexpr int p = moduli[i];
  return Modulus{p, 1.0 / p, static_cast<double>(centred(Wide{1} << 30, p)),
                 static_cast<std::uint32_t>((std::uint64_t{1} << 32) / std::uint64_t{p})};
}();

/// A number below 2¹²⁶ as (x·2⁴² + y)·2⁴² + z with |y|, |z| <= 2⁴¹, each exact in fp64.
struct Words {
  double x, y, z;
};

/// The words of a number.
constexpr Words words(Wide value) {
  constexpr int bits = 42;
  constexpr std::int64_t base = std::int64_t{1} << bits;
  const auto low = [&] {
    auto word = static_cast<std::int64_t>(value & static_cast<Wide>(base - 1));
    if (word > base / 2) word -= base;
    value = (value - static_cast<Wide>(word)) >> bits;  // modulo 2¹²⁸, where a negative word is added
    return static_cast<double>(word);
  };
  const double z = low(), y = low();
  return {static_cast<double>(static_cast<std::int64_t>(value)), y, z};
}

/// The inverse of x modulo p. @pre they are coprime
constexpr int inverse_of(Wide x, int p) {
  const auto rest = static_cast<int>(x % static_cast<Wide>(p));
  for (int y = 1; y < p; ++y) {
    if (rest * y % p == 1) return y;
  }
  return 0;
}

/// What the Chinese remainder theorem takes for s moduli.
template <int s>
struct Remainders {
  /// ≡ 1 modulo modulus i and ≡ 0 modulo the others, below the product of all
  Words weights[std::size_t{s}];
  Words product;         ///< of the moduli, P
  double inverse;        ///< 2⁴² / P
  double squared_limit;  ///< 4^β': ‖a'‖²·‖b'‖² of integer rows and columns whose product is below P / 2
};

/// The constants of the first s moduli.
template <int s>
inline constexpr Remainders<s> remainders = [] {
  static_assert(s <= max_moduli);
  constexpr Wide all = product_of(s);
  Remainders<s> r{};
  for (int i = 0; i < s; ++i) {
    const Wide others = all / static_cast<Wide>(moduli[i]);
    r.weights[i] = words(others * static_cast<Wide>(inverse_of(others, moduli[i])));
  }
  r.product = words(all);
  r.inverse = 0x1p42 / static_cast<double>(all);
  // Less than (P - 1) / 2 by 2⁻¹⁹ of it: room for the roundings of a' and of the quotient by P.
  r.squared_limit = static_cast<double>((all - 1) / 2) * (1 - 0x1p-19);
  return r;
}();

/// 4^β' of s moduli. @pre min_moduli <= s <= max_moduli
ROOFTILE_FUNCTION constexpr double squared_limit(int s) {
  static_assert(min_moduli == 13 && max_moduli == 16);
  constexpr double of_13 = remainders<13>.squared_limit, of_14 = remainders<14>.squared_limit;
  constexpr double of_15 = remainders<15>.squared_limit, of_16 = remainders<16>.squared_limit;
  return s < 15 ? s < 14 ? of_13 : of_14 : s < 16 ? of_15 : of_16;
}

}  // namespace rooftile::residues
