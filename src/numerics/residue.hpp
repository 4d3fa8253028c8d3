// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numerics/moduli.hpp"
#include "numerics/scale.hpp"
#include "rooftile/detail/function.hpp"

/// Residues of integers as int8 (docs/numerics.md, E4 and E6).
namespace rooftile::residues {

/// An integer x = high·2³⁰ + low with |low| <= 2²⁹. Without the split, fp64 would round p·rint(x/p) and lose
/// the low bits, which decide the residue.
struct Split {
  double high, low;
};

/// @pre x is an integer with |x| < 2⁶³
ROOFTILE_FUNCTION Split split(double x) {
  constexpr double shift = 0x1.8p52;  // x + shift − shift rounds |x| < 2⁵¹ to an integer
  const double high = (x * 0x1p-30 + shift) - shift;
  return {high, x - high * 0x1p30};
}

/// Returns the residue modulo modulus i that is nearest to zero; -128 instead of 128 for modulus 256. Each
/// product and sum is exact, hence fused multiply-adds do not change the result.
template <int i>
ROOFTILE_FUNCTION std::int8_t residue(const Split& x) {
  constexpr Modulus m = modulus<i>;
  constexpr double shift = 0x1.8p52;
  const double v = x.high * m.shift + x.low;
  const double quotient = (v * m.inverse + shift) - shift;
  return static_cast<std::int8_t>(static_cast<int>(v - quotient * m.p));
}

/// Reduces a sum of products of residues modulo a run-time modulus.
ROOFTILE_FUNCTION std::int32_t residue(std::int32_t sum, const Modulus& m) {
  // `quotient` is at most 3/2 too small or 1/2 too large, hence -p/2 <= rest < 3p/2.
  const auto quotient = static_cast<std::int32_t>(std::int64_t{sum} * std::int64_t{m.reciprocal} >> 32);
  // The product may overflow int32, but the difference fits. Unsigned arithmetic wraps around.
  const auto rest =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) -
                                static_cast<std::uint32_t>(quotient) * static_cast<std::uint32_t>(m.p));
  return 2 * rest >= m.p ? rest - m.p : rest;
}
/// Reduces a sum of products of residues modulo modulus i.
template <int i>
ROOFTILE_FUNCTION std::int8_t residue(std::int32_t sum) {
  constexpr Modulus m = modulus<i>;
  return static_cast<std::int8_t>(residue(sum, m));
}

/// The number of products of residues that an int32 holds without overflow, in addition to a residue.
inline constexpr Index max_products = (Index{1} << 17) - 1;

}  // namespace rooftile::residues
