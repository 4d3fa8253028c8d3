// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "rooftile/detail/function.hpp"

/// @file
/// 16-bit floating-point numbers for storage. Arithmetic is done in float. The bits are those of CUDA's
/// __half and __nv_bfloat16 and of Kokkos' half_t and bhalf_t.

namespace rooftile {

namespace detail {

template <class To, class From>
ROOFTILE_FUNCTION constexpr To bits_as(const From& from) {
  return __builtin_bit_cast(To, from);  // std::bit_cast is a function of the host alone
}

}  // namespace detail

/// IEEE 754 binary16: 11 significant bits, up to 65,504.
struct float16 {
  std::uint16_t bits;  ///< sign, 5 bits of exponent, 10 bits of fraction

  float16() = default;

  /// Rounds to nearest, ties to even; infinity from 65,520 on.
  ROOFTILE_FUNCTION constexpr explicit float16(float x) : bits(rounded(x)) {}

  /// Converts exactly.
  ROOFTILE_FUNCTION constexpr operator float() const {
#if defined(__HIP_DEVICE_COMPILE__)
    return detail::bits_as<_Float16>(bits);
#else
    const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = bits & 0x7C00U, fraction = bits & 0x3FFU;
    if (exponent == 0) {  // zero or subnormal: multiples of 2⁻²⁴
      const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
      return sign == 0 ? magnitude : -magnitude;
    }
    const std::uint32_t rebias = exponent == 0x7C00U ? 0x70000000U : 0x38000000U;
    return detail::bits_as<float>(sign | (((exponent | fraction) << 13) + rebias));
#endif
  }

 private:
  ROOFTILE_FUNCTION static constexpr std::uint16_t rounded(float x) {
#if defined(__HIP_DEVICE_COMPILE__)  // an instruction, where clang would make branches of what follows
    return detail::bits_as<std::uint16_t>(static_cast<_Float16>(x));
#else
    const auto word = detail::bits_as<std::uint32_t>(x);
    const std::uint32_t sign = (word & 0x80000000U) >> 16, magnitude = word & 0x7FFFFFFFU;
    std::uint32_t result = 0;
    if (magnitude > 0x7F800000U) {  // NaN, quiet
      result = 0x7E00U;
    } else if (magnitude >= 0x477FF000U) {  // from 65,520 on
      result = 0x7C00U;
    } else if (magnitude >= 0x38800000U) {  // normal: half of the last place, less one where that is even
      result = (magnitude - 0x38000000U + 0xFFFU + (magnitude >> 13 & 1U)) >> 13;
    } else {  // subnormal: 0.5 has its last place at 2⁻²⁴, so the sum rounds there
      result = detail::bits_as<std::uint32_t>(detail::bits_as<float>(magnitude) + 0.5F) - 0x3F000000U;
    }
    return static_cast<std::uint16_t>(sign | result);
#endif
  }
};

/// The upper half of a float: 8 significant bits, range of float.
struct bfloat16 {
  std::uint16_t bits;  ///< sign, 8 bits of exponent, 7 bits of fraction

  bfloat16() = default;

  /// Rounds to nearest, ties to even; infinity beyond the largest number.
  ROOFTILE_FUNCTION constexpr explicit bfloat16(float x) : bits(rounded(x)) {}

  /// Converts exactly.
  ROOFTILE_FUNCTION constexpr operator float() const {
    return detail::bits_as<float>(static_cast<std::uint32_t>(bits) << 16);
  }

 private:
  ROOFTILE_FUNCTION static constexpr std::uint16_t rounded(float x) {
    const auto word = detail::bits_as<std::uint32_t>(x);
    const bool nan = (word & 0x7FFFFFFFU) > 0x7F800000U;
    const std::uint32_t nearest = word + 0x7FFFU + (word >> 16 & 1U);  // here, so that it is no branch
    return static_cast<std::uint16_t>((nan ? word | 0x400000U : nearest) >> 16);
  }
};

}  // namespace rooftile

/// @cond
/// The members of numeric_limits that the library and its tests use.
template <>
struct std::numeric_limits<rooftile::float16> {
  static constexpr bool is_specialized = true;
  static constexpr int digits = 11;
  static constexpr rooftile::float16 epsilon() { return rooftile::float16(0x1p-10F); }
  static constexpr rooftile::float16 denorm_min() { return rooftile::float16(0x1p-24F); }
  static constexpr rooftile::float16 max() { return rooftile::float16(65504.0F); }
  static constexpr rooftile::float16 infinity() {
    return rooftile::float16(numeric_limits<float>::infinity());
  }
  static constexpr rooftile::float16 quiet_NaN() {
    return rooftile::float16(numeric_limits<float>::quiet_NaN());
  }
};
template <>
struct std::numeric_limits<rooftile::bfloat16> {
  static constexpr bool is_specialized = true;
  static constexpr int digits = 8;
  static constexpr rooftile::bfloat16 epsilon() { return rooftile::bfloat16(0x1p-7F); }
  static constexpr rooftile::bfloat16 denorm_min() { return rooftile::bfloat16(0x1p-133F); }
  static constexpr rooftile::bfloat16 max() { return rooftile::bfloat16(0x1.FEp127F); }
  static constexpr rooftile::bfloat16 infinity() {
    return rooftile::bfloat16(numeric_limits<float>::infinity());
  }
  static constexpr rooftile::bfloat16 quiet_NaN() {
    return rooftile::bfloat16(numeric_limits<float>::quiet_NaN());
  }
};
/// @endcond
