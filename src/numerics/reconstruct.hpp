// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "numerics/moduli.hpp"
#include "rooftile/detail/function.hpp"

/// Reconstructs integers from residues by the Chinese remainder theorem, in fp64 (docs/numerics.md, E7).
namespace rooftile::residues {

/// Whether the word sums of s weighted residues, and these sums minus k·P, stay below 2⁵³ and are exact.
template <int s>
constexpr bool sums_are_exact() {
  const auto magnitude = [](double x) { return x < 0 ? -x : x; };
  double x = 0, y = 0, z = 0, k = 1;
  for (int i = 0; i < s; ++i) {
    const double r = moduli[i] / 2;
    x += r * magnitude(remainders<s>.weights[i].x);
    y += r * magnitude(remainders<s>.weights[i].y);
    z += r * magnitude(remainders<s>.weights[i].z);
    k += r;  // a weight is less than P
  }
  const Words p = remainders<s>.product;
  return x + k * p.x <= 0x1p53 && y + k * magnitude(p.y) <= 0x1p53 && z + k * magnitude(p.z) <= 0x1p53;
}

static_assert(sums_are_exact<13>() && sums_are_exact<14>() && sums_are_exact<15>() && sums_are_exact<16>());

/// Adds the residue modulo modulus i times its weight.
template <int s, int i>
ROOFTILE_FUNCTION void add_weighted(Words& sum, double residue) {
  constexpr Words weight = remainders<s>.weights[i];
  sum.x += residue * weight.x;
  sum.y += residue * weight.y;
  sum.z += residue * weight.z;
}

/// Returns the integer with residues `read(i)` as a double. Its relative error is at most 2⁻⁵³·(1 + 2⁻⁴¹).
/// @pre the magnitude of the integer is at most (1 − 2⁻²⁰)·P/2, which `squared_limit` ensures
template <int s, class Read>
ROOFTILE_FUNCTION double reconstruct(const Read& read) {
  constexpr Words product = remainders<s>.product;
  constexpr double inverse = remainders<s>.inverse, shift = 0x1.8p52;
  Words sum{0, 0, 0};
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (add_weighted<s, i>(sum, read(i)), ...);
  }
  (std::make_integer_sequence<int, s>());
  // k = rint(sum / P). The third word is too small to change k.
  const double k = ((sum.x * 0x1p42 + sum.y) * inverse + shift) - shift;
  const double x = (sum.x - k * product.x) * 0x1p84, y = (sum.y - k * product.y) * 0x1p42;
  const double z = sum.z - k * product.z;
  // Knuth's TwoSum: `total` and its rounding error `lost`, both exact.
  const double total = x + y, part = total - x;
  const double lost = (x - (total - part)) + (y - part);
  return total + (lost + z);
}

}  // namespace rooftile::residues
