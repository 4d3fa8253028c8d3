// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "rooftile/detail/function.hpp"
#include "rooftile/device/residues/moduli.hpp"
#include "rooftile/device/residues/scale.hpp"

/// Integers modulo a number, as int8.
namespace rooftile::residues {

/// Added and subtracted, it rounds what is below 2⁵¹ to an integer, whose low bits are the sum's.
inline constexpr double rounding_shift = 0x1.8p52;

/// The integer that `rounding_shift` was added to, modulo 2³².
ROOFTILE_FUNCTION std::uint32_t low_word(double shifted) {
  std::uint64_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  return static_cast<std::uint32_t>(bits);
}

/// An integer as high·2³⁰ + low with |low| <= 2²⁹: its low bits, and so all residues, are lost to a quotient
/// of the integer itself.
struct Split {
  double high, low;
  std::uint32_t high_word, low_word;  ///< the same two modulo 2³²
};

/// @pre |x| < 2⁶³, an integer
ROOFTILE_FUNCTION Split split(double x) {
  const double shifted = x * 0x1p-30 + rounding_shift, high = shifted - rounding_shift;
  const double low = x - high * 0x1p30;
  return {high, low, low_word(shifted), low_word(low + rounding_shift)};
}

/// The residue modulo modulus i nearest to zero; of 256, -128 for 128. Its quotient comes from fp64, whose
/// products and sums are exact but for the last, so that it does not matter which the compiler fuses; the
/// rest, which has eight bits, from integers modulo 2³².
template <int i>
ROOFTILE_FUNCTION std::int8_t residue(const Split& x) {
  constexpr Modulus m = modulus<i>;
  constexpr auto shift = static_cast<std::uint32_t>(static_cast<std::int32_t>(m.shift));
  const double shifted = (x.high * m.shift + x.low) * m.inverse + rounding_shift;
  return static_cast<std::int8_t>(x.high_word * shift + x.low_word -
                                  low_word(shifted) * static_cast<std::uint32_t>(m.p));
}

/// The same of a sum of products of residues, of a modulus known when it runs.
ROOFTILE_FUNCTION std::int32_t residue(std::int32_t sum, const Modulus& m) {
  // Less than the quotient by at most 3/2, more by at most 1/2, so that -p/2 <= rest < 3p/2.
  const auto quotient = static_cast<std::int32_t>(std::int64_t{sum} * std::int64_t{m.reciprocal} >> 32);
  // The product alone may be below int32, the difference is not.
  const auto rest =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) -
                                static_cast<std::uint32_t>(quotient) * static_cast<std::uint32_t>(m.p));
  return 2 * rest >= m.p ? rest - m.p : rest;
}
/// The same of modulus i.
template <int i>
ROOFTILE_FUNCTION std::int8_t residue(std::int32_t sum) {
  constexpr Modulus m = modulus<i>;
  return static_cast<std::int8_t>(residue(sum, m));
}

/// Products of residues that an int32 sums up without overflow, beside a residue.
inline constexpr Index max_products = (Index{1} << 17) - 1;

}  // namespace rooftile::residues
