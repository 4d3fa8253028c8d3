// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// How rows of A and columns of B become integers: each is multiplied by a power of two and rounded.
namespace rooftile::residues {

/// The exponent field of a number, 0 of zero and the smallest numbers, 2047 of infinity and NaN.
ROOFTILE_FUNCTION int exponent_field(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<int>(bits >> 52) & 2047;
}

/// Whether a number is neither infinite nor NaN.
ROOFTILE_FUNCTION bool is_finite(double x) {
  return exponent_field(x) != 2047;
}

/// 2ⁿ. @pre -1022 <= n <= 1023
ROOFTILE_FUNCTION double power_of_two(int n) {
  const auto bits = static_cast<std::uint64_t>(n + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return power;
}

/// ⌊log2|x|⌋. @pre x is finite and not 0
ROOFTILE_FUNCTION int exponent_of(double x) {
  const int field = exponent_field(x);
  return field > 0 ? field - 1023 : exponent_field(x * 0x1p54) - 1023 - 54;
}

/// x·2ⁿ, rounded at most once. @pre |x| is 0 or at least 1, or x·2ⁿ is below 2⁶³; |n| <= 4000
ROOFTILE_FUNCTION double times_power(double x, int n) {
  constexpr int at_once = 1000;
  const auto part = [](int m) { return m > at_once ? at_once : m < -at_once ? -at_once : m; };
  const int first = part(n);
  return x * power_of_two(first) * power_of_two(part(n - first));
}

/// x rounded to the nearest integer, ties to even.
ROOFTILE_FUNCTION double rounded(double x) {
  constexpr double shift = 0x1p52;  // from there on all numbers are integers
  if (!(x < shift && x > -shift)) return x;
  const double towards = x < 0 ? -shift : shift;
  return (x + towards) - towards;
}

/// What is larger than all numbers.
inline constexpr double infinity = __builtin_huge_val();

/// What the library knows of a row of A or a column of B.
struct RowScale {
  double squares = 0;  ///< Σ(x/2^exponent)², rounded up: 0 of zeros; infinite where an element is not finite
  int exponent = 0;    ///< ⌊log2⌋ of the largest magnitude
  int depth = 0;  ///< three quarters of the magnitudes reach 2^(exponent - depth); `depths` where less do
};
/// A row with more than this many powers of two below its largest magnitude never passes the guard.
inline constexpr int depths = 64;

/// The longest row that is summed up with a relative error below 2⁻²¹.
inline constexpr Index max_k = Index{1} << 30;

/// How many powers of two |x| lies below 2^exponent; `depths` or more of zero. @pre |x| < 2^(exponent + 1)
ROOFTILE_FUNCTION int depth_of(double x, int exponent) {
  return x == 0 ? depths : exponent - exponent_of(x);
}

/// Whether so many elements are three quarters of K.
ROOFTILE_FUNCTION bool are_three_quarters(Index count, Index k) {
  return 4 * count >= 3 * k;
}

/// Of a row of K elements, which are read twice. @param read  the element of an index
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
  Index counts[depths] = {};  // of elements at each depth
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

/// The largest exponent e with 2^e·‖row‖ <= 2^β', which makes a row integers; 0 of zeros. @pre it is finite
/// @param squared_limit  4^β' (`Remainders`)
ROOFTILE_FUNCTION int scaling_exponent(const RowScale& scale, double squared_limit) {
  if (scale.squares == 0) return 0;
  return exponent_of(squared_limit / scale.squares) / 2 - scale.exponent;  // whose quotient exceeds 1
}

/// An element as an integer below 2⁶³. @param exponent  its row's (`scaling_exponent`)
ROOFTILE_FUNCTION double integer_of(double x, int exponent) {
  return rounded(times_power(x, exponent));
}

}  // namespace rooftile::residues
