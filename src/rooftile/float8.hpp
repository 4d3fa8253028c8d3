// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "rooftile/detail/function.hpp"
#include "rooftile/float16.hpp"

/// @file
/// 8-bit floating-point numbers for storage (OCP 8-bit Floating Point Specification 1.0). Arithmetic is done
/// in float. The bits are those of CUDA's __nv_fp8_e4m3 and __nv_fp8_e5m2.

namespace rooftile {

/// The formats of 8-bit floating-point numbers.
enum class Float8Format { e4m3, e5m2 };

namespace detail {

/// Rounds a float to 8 bits: to nearest, ties to even. Larger numbers and infinities become the largest
/// finite number, as in the saturating conversion of the specification.
/// @tparam fraction_bits,bias  of the format
/// @tparam largest             bits of the largest finite number
template <int fraction_bits, int bias, std::uint32_t largest>
ROOFTILE_FUNCTION constexpr std::uint8_t rounded_to_8_bits(float x) {
  constexpr int dropped = 23 - fraction_bits;
  constexpr std::uint32_t rebias = std::uint32_t{127 - bias} << 23, normal = std::uint32_t{128 - bias} << 23;
  // The last place of this number is that of the subnormal numbers, so that an addition rounds to it.
  constexpr std::uint32_t round = std::uint32_t{151 - bias - fraction_bits} << 23;
  const auto word = bits_as<std::uint32_t>(x);
  const std::uint32_t sign = word >> 24 & 0x80U, magnitude = word & 0x7FFFFFFFU;
  std::uint32_t result = 0;
  if (magnitude > 0x7F800000U) {
    result = 0x7FU;  // NaN
  } else if (magnitude >= normal) {
    result = (magnitude - rebias + (1U << (dropped - 1)) - 1U + (magnitude >> dropped & 1U)) >> dropped;
    result = result < largest ? result : largest;
  } else {
    result = bits_as<std::uint32_t>(bits_as<float>(magnitude) + bits_as<float>(round)) - round;
  }
  return static_cast<std::uint8_t>(sign | result);
}

}  // namespace detail

/// E4M3: 4 significant bits, up to 448, NaN but no infinity.
struct float8_e4m3 {
  std::uint8_t bits;  ///< sign, 4 bits of exponent, 3 bits of fraction

  float8_e4m3() = default;

  /// Rounds to nearest, ties to even; ±448 for larger numbers and infinities, NaN for NaN.
  ROOFTILE_FUNCTION constexpr explicit float8_e4m3(float x)
      : bits(detail::rounded_to_8_bits<3, 7, 0x7EU>(x)) {}

  /// Converts exactly.
  ROOFTILE_FUNCTION constexpr operator float() const {
    const std::uint32_t sign = (bits & 0x80U) << 24, magnitude = bits & 0x7FU;
    if (magnitude < 8U) {  // zero or subnormal: multiples of 2⁻⁹
      const float value = static_cast<float>(magnitude) * 0x1p-9F;
      return sign == 0 ? value : -value;
    }
    return detail::bits_as<float>(sign |
                                  (magnitude == 0x7FU ? 0x7FC00000U : (magnitude << 20) + 0x3C000000U));
  }
};

/// E5M2: 3 significant bits, up to 57,344, NaN and infinity.
struct float8_e5m2 {
  std::uint8_t bits;  ///< sign, 5 bits of exponent, 2 bits of fraction: the upper half of a float16

  float8_e5m2() = default;

  /// Rounds to nearest, ties to even; ±57,344 for larger numbers and infinities, NaN for NaN.
  ROOFTILE_FUNCTION constexpr explicit float8_e5m2(float x)
      : bits(detail::rounded_to_8_bits<2, 15, 0x7BU>(x)) {}

  /// Converts exactly.
  ROOFTILE_FUNCTION constexpr operator float() const {
    float16 same(0.0F);
    same.bits = static_cast<std::uint16_t>(bits << 8);
    return same;
  }
};

}  // namespace rooftile

/// @cond
/// The members of numeric_limits that the library and its tests use.
template <>
struct std::numeric_limits<rooftile::float8_e4m3> {
  static constexpr bool is_specialized = true;
  static constexpr int digits = 4;
  static constexpr rooftile::float8_e4m3 epsilon() { return rooftile::float8_e4m3(0x1p-3F); }
  static constexpr rooftile::float8_e4m3 denorm_min() { return rooftile::float8_e4m3(0x1p-9F); }
  static constexpr rooftile::float8_e4m3 max() { return rooftile::float8_e4m3(448.0F); }
  static constexpr rooftile::float8_e4m3 quiet_NaN() {
    return rooftile::float8_e4m3(numeric_limits<float>::quiet_NaN());
  }
};
template <>
struct std::numeric_limits<rooftile::float8_e5m2> {
  static constexpr bool is_specialized = true;
  static constexpr int digits = 3;
  static constexpr rooftile::float8_e5m2 epsilon() { return rooftile::float8_e5m2(0x1p-2F); }
  static constexpr rooftile::float8_e5m2 denorm_min() { return rooftile::float8_e5m2(0x1p-16F); }
  static constexpr rooftile::float8_e5m2 max() { return rooftile::float8_e5m2(57344.0F); }
  static constexpr rooftile::float8_e5m2 quiet_NaN() {
    return rooftile::float8_e5m2(numeric_limits<float>::quiet_NaN());
  }
};
/// @endcond
