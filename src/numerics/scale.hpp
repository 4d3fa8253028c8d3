// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// Scales rows of A and columns of B to integers: multiplies each by a power of two and rounds.
namespace rooftile::residues {

/// Returns the exponent field: 0 for zero and subnormal numbers, 2047 for infinity and NaN.
ROOFTILE_FUNCTION int exponent_field(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<int>(bits >> 52) & 2047;
}

ROOFTILE_FUNCTION bool is_finite(double x) {
  return exponent_field(x) != 2047;
}

/// Returns 2ⁿ. @pre -1022 <= n <= 1023
ROOFTILE_FUNCTION double power_of_two(int n) {
  const auto bits = static_cast<std::uint64_t>(n + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return power;
}

/// Returns ⌊log2|x|⌋. @pre x is finite and not 0
ROOFTILE_FUNCTION int exponent_of(double x) {
  const int field = exponent_field(x);
  return field > 0 ? field - 1023 : exponent_field(x * 0x1p54) - 1023 - 54;
}

/// Returns x·2ⁿ, rounded at most once. Beyond ±2000, n is clamped: the result is 0 or infinite either way.
/// @pre |x| is 0 or at least 1, or x·2ⁿ is below 2⁶³; |x| < 2⁹⁰⁰ if n < -2000
ROOFTILE_FUNCTION double times_power(double x, int n) {
  constexpr int at_once = 1000;
  const auto part = [](int m) { return m > at_once ? at_once : m < -at_once ? -at_once : m; };
  const int first = part(n);
  return x * power_of_two(first) * power_of_two(part(n - first));
}

/// Rounds x to the nearest integer, ties to even.
ROOFTILE_FUNCTION double rounded(double x) {
  constexpr double shift = 0x1p52;  // all larger magnitudes are integers
  if (!(x < shift && x > -shift)) return x;
  const double towards = x < 0 ? -shift : shift;
  return (x + towards) - towards;
}

inline constexpr double infinity = __builtin_huge_val();

/// Magnitudes of a row of A or a column of B, from which its scale and the guard follow.
struct RowScale {
  double squares = 0;  ///< Σ(x/2^exponent)², rounded up; 0 for zeros, infinity if an element is not finite
  int exponent = 0;    ///< ⌊log2⌋ of the largest magnitude
  int depth = 0;       ///< three quarters of the magnitudes reach 2^(exponent - depth); `depths`: fewer do
};
/// Limit of `depth`. A row fails the guard if fewer than three quarters of its magnitudes are within this
/// many powers of two of the largest.
inline constexpr int depths = 64;

/// The longest row whose sum of squares has a relative error below 2⁻²¹.
inline constexpr Index max_k = Index{1} << 30;

/// Returns how many powers of two |x| is below 2^exponent; `depths` for zero. @pre |x| < 2^(exponent + 1)
ROOFTILE_FUNCTION int depth_of(double x, int exponent) {
  return x == 0 ? depths : exponent - exponent_of(x);
}

/// Whether `count` elements are at least three quarters of K.
ROOFTILE_FUNCTION bool are_three_quarters(Index count, Index k) {
  return 4 * count >= 3 * k;
}

/// Returns the scale of a row of K elements. Each element is read twice. @param read  element at an index
template <class Read>
ROOFTILE_FUNCTION RowScale scale_of(Index k, const Read& read) {
  double largest = 0;
  bool finite = true;
  for (Index i = 0; i < k; ++i) {
    const double x = read(i), magnitude = x < 0 ? -x : x;
    finite = finite && is_finite(x);
    if (magnitude > largest) largest = magnitude;
  }
  if (!finite) return {infinity, 0, depths};
  if (largest == 0) return {};
  RowScale scale{0, exponent_of(largest), 0};
  Index counts[depths] = {};  // elements at each depth
  for (Index i = 0; i < k; ++i) {
    const double x = read(i), fraction = times_power(x, -scale.exponent);
    scale.squares += fraction * fraction;
    if (const int depth = depth_of(x, scale.exponent); depth < depths) ++counts[depth];
  }
  scale.squares *= 1 + static_cast<double>(k + 2) * 0x1p-52;
  Index reached = 0;
  for (; scale.depth < depths; ++scale.depth) {
    reached += counts[scale.depth];
    if (are_three_quarters(reached, k)) break;
  }
  return scale;
}

/// Returns the largest e with 2^e·‖row‖ <= 2^β', by which a row becomes integers; 0 for zeros.
/// @pre all elements of the row are finite
/// @param squared_limit  4^β' (`Remainders`)
ROOFTILE_FUNCTION int scaling_exponent(const RowScale& scale, double squared_limit) {
  if (scale.squares == 0) return 0;
  return exponent_of(squared_limit / scale.squares) / 2 - scale.exponent;  // the quotient exceeds 1
}

/// Scales an element to an integer below 2⁶³. @param exponent  of its row (`scaling_exponent`)
ROOFTILE_FUNCTION double integer_of(double x, int exponent) {
  return rounded(times_power(x, exponent));
}

}  // namespace rooftile::residues
