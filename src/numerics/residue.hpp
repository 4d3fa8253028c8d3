// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numerics/moduli.hpp"
#include "numerics/scale.hpp"
#include "rooftile/detail/function.hpp"

/// Integers modulo a number, as int8.
namespace rooftile::residues {

/// An integer as high·2³⁰ + low with |low| <= 2²⁹: its low bits, and so all residues, are lost to a quotient
/// of the integer itself.
struct Split {
  double high, low;
};

/// @pre |x| < 2⁶³, an integer
ROOFTILE_FUNCTION Split split(double x) {
  constexpr double shift = 0x1.8p52;  // added and subtracted, it rounds what is below 2⁵¹ to an integer
  const double high = (x * 0x1p-30 + shift) - shift;
  return {high, x - high * 0x1p30};
}

/// The residue modulo modulus i nearest to zero; of 256, -128 for 128. Every product and sum is exact, so
/// that it does not matter which the compiler fuses.
template <int i>
ROOFTILE_FUNCTION std::int8_t residue(const Split& x) {
  constexpr Modulus m = modulus<i>;
  constexpr double shift = 0x1.8p52;
  const double v = x.high * m.shift + x.low;
  const double quotient = (v * m.inverse + shift) - shift;
  return static_cast<std::int8_t>(static_cast<int>(v - quotient * m.p));
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
