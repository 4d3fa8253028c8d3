// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>

#include "rooftile/detail/function.hpp"

/// fp64 products from exact int8 products modulo coprime numbers (docs/numerics.md). CPUs and GPU kernels
/// share these functions and constants. The compiler computes all constants from the moduli.
namespace rooftile::residues {

/// The moduli, pairwise coprime. An fp64 product uses the first 13 to 16.
inline constexpr int moduli[] = {256, 255, 253, 251, 247, 241, 239, 233,
                                 229, 227, 223, 217, 211, 199, 197, 193};
/// Limits of the number of moduli: 13 provide the bits of fp64, and three words hold the product of 16.
inline constexpr int min_moduli = 13, max_moduli = static_cast<int>(std::size(moduli));

/// A 128-bit integer, which holds the product of all moduli.
__extension__ typedef unsigned __int128 Wide;

/// Returns the product of the first s moduli.
constexpr Wide product_of(int s) {
  Wide product = 1;
  for (int i = 0; i < s; ++i) product *= static_cast<Wide>(moduli[i]);
  return product;
}

/// Returns the residue of x modulo p that is nearest to zero. A tie at p / 2 gives the negative residue.
constexpr int centred(Wide x, int p) {
  const int r = static_cast<int>(x % static_cast<Wide>(p));
  return 2 * r >= p ? r - p : r;
}

/// Constants for residues modulo one number.
struct Modulus {
  int p;                     ///< the modulus
  double inverse;            ///< 1 / p
  double shift;              ///< 2³⁰ modulo p, centred
  std::uint32_t reciprocal;  ///< ⌊2³² / p⌋
};

/// Constants of modulus i.
template <int i>
inline constexpr Modulus modulus = [] {
  constexpr int p = moduli[i];
  return Modulus{p, 1.0 / p, static_cast<double>(centred(Wide{1} << 30, p)),
                 static_cast<std::uint32_t>((std::uint64_t{1} << 32) / std::uint64_t{p})};
}();

/// An integer below 2¹²⁶ as (x·2⁴² + y)·2⁴² + z with |y|, |z| <= 2⁴¹. Each word is exact in fp64.
struct Words {
  double x, y, z;
};

/// Splits an integer into words.
constexpr Words words(Wide value) {
  constexpr int bits = 42;
  constexpr std::int64_t base = std::int64_t{1} << bits;
  const auto low = [&] {
    auto word = static_cast<std::int64_t>(value & static_cast<Wide>(base - 1));
    if (word > base / 2) word -= base;
    value = (value - static_cast<Wide>(word)) >> bits;  // modulo 2¹²⁸; a negative word adds
    return static_cast<double>(word);
  };
  const double z = low(), y = low();
  return {static_cast<double>(static_cast<std::int64_t>(value)), y, z};
}

/// Returns the inverse of x modulo p. @pre x and p are coprime
constexpr int inverse_of(Wide x, int p) {
  const auto rest = static_cast<int>(x % static_cast<Wide>(p));
  for (int y = 1; y < p; ++y) {
    if (rest * y % p == 1) return y;
  }
  return 0;
}

/// Constants of the Chinese remainder theorem for s moduli.
template <int s>
struct Remainders {
  /// Weight i is 1 modulo modulus i and 0 modulo the others, and is less than P
  Words weights[std::size_t{s}];
  Words product;         ///< P, the product of the moduli
  double inverse;        ///< 2⁴² / P
  double squared_limit;  ///< 4^β': for ‖a'‖, ‖b'‖ <= 2^β', the integer product is below P / 2
};

/// Constants of the first s moduli.
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
  // The factor 1 − 2⁻¹⁹ leaves room for the rounding of a' and of the quotient by P.
  r.squared_limit = static_cast<double>((all - 1) / 2) * (1 - 0x1p-19);
  return r;
}();

/// Returns 4^β' for s moduli. @pre min_moduli <= s <= max_moduli
ROOFTILE_FUNCTION constexpr double squared_limit(int s) {
  static_assert(min_moduli == 13 && max_moduli == 16);
  constexpr double of_13 = remainders<13>.squared_limit, of_14 = remainders<14>.squared_limit;
  constexpr double of_15 = remainders<15>.squared_limit, of_16 = remainders<16>.squared_limit;
  return s < 15 ? s < 14 ? of_13 : of_14 : s < 16 ? of_15 : of_16;
}

}  // namespace rooftile::residues
