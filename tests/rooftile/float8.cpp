// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The 8-bit element types compared with the definition of their formats, evaluated in double.
#include "rooftile/float8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <catch2/catch_template_test_macros.hpp>

namespace rooftile {
namespace {

/// The parameters of the OCP formats.
template <class T>
struct Format;
template <>
struct Format<float8_e4m3> {
  static constexpr int fraction_bits = 3, bias = 7;
  static constexpr double largest = 448;
  static constexpr bool has_infinity = false;
};
template <>
struct Format<float8_e5m2> {
  static constexpr int fraction_bits = 2, bias = 15;
  static constexpr double largest = 57344;
  static constexpr bool has_infinity = true;
};

/// The value of a bit pattern by the definition.
template <class T>
double value_of(unsigned bits) {
  using F = Format<T>;
  const int fraction = static_cast<int>(bits) & ((1 << F::fraction_bits) - 1);
  const int exponent = static_cast<int>(bits & 0x7FU) >> F::fraction_bits;
  const double sign = (bits & 0x80U) == 0 ? 1 : -1;
  const double significand = fraction + (exponent == 0 ? 0 : 1 << F::fraction_bits);
  const double value = std::ldexp(significand, std::max(exponent, 1) - F::bias - F::fraction_bits);
  if (value <= F::largest) return sign * value;
  if (F::has_infinity && fraction == 0) return sign * std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

/// A number rounded to the format by the definition: to a multiple of the last place, ties to even, and at
/// most the largest finite number.
template <class T>
double rounded(double x) {
  using F = Format<T>;
  if (x == 0 || std::isnan(x)) return x;
  const int exponent = std::isinf(x) ? 1000 : std::max(std::ilogb(x), 1 - F::bias);
  const double last_place = std::ldexp(1.0, exponent - F::fraction_bits);
  const double nearest = std::isinf(x) ? x : std::nearbyint(x / last_place) * last_place;
  return std::copysign(std::min(std::abs(nearest), F::largest), x);
}

template <class T>
bool rounds_correctly(float x) {
  const double expected = rounded<T>(x), found = static_cast<float>(T(x));
  return std::isnan(expected) ? std::isnan(found)
                              : std::bit_cast<std::uint64_t>(expected) == std::bit_cast<std::uint64_t>(found);
}

TEMPLATE_TEST_CASE("each of the 256 bit patterns has the value of its format, and converts back", "[float8]",
                   float8_e4m3, float8_e5m2) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto x = std::bit_cast<TestType>(static_cast<std::uint8_t>(bits));
    const double value = value_of<TestType>(bits);
    CAPTURE(bits);
    if (std::isnan(value)) {
      CHECK(std::isnan(static_cast<float>(x)));
      CHECK(static_cast<unsigned>(TestType(static_cast<float>(x)).bits | 0x80U) == 0xFFU);
    } else {
      CHECK(static_cast<double>(static_cast<float>(x)) == value);
      CHECK(std::signbit(static_cast<float>(x)) == (bits >= 128));
      if (std::isfinite(value)) CHECK(static_cast<unsigned>(TestType(static_cast<float>(x)).bits) == bits);
    }
  }
}

TEMPLATE_TEST_CASE("all bf16 and fp16 numbers round to nearest, ties to even", "[float8]", float8_e4m3,
                   float8_e5m2) {
  unsigned wrong = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    wrong += rounds_correctly<TestType>(std::bit_cast<float16>(half)) ? 0 : 1;
    wrong += rounds_correctly<TestType>(std::bit_cast<bfloat16>(half)) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("floats beside each rounding boundary round to nearest", "[float8]", float8_e4m3,
                   float8_e5m2) {
  for (unsigned bits = 0; bits < 127; ++bits) {
    const double x = value_of<TestType>(bits), next = value_of<TestType>(bits + 1);
    if (!std::isfinite(next)) continue;
    const auto middle = static_cast<float>((x + next) / 2);
    for (const float boundary : {middle, static_cast<float>(x)}) {
      for (const float side : {-1.0F, 1.0F}) {
        const float beside = std::nextafter(boundary, side * std::numeric_limits<float>::infinity());
        CAPTURE(bits, boundary, beside);
        CHECK(rounds_correctly<TestType>(boundary));
        CHECK(rounds_correctly<TestType>(beside));
        CHECK(rounds_correctly<TestType>(-beside));
      }
    }
  }
}

TEMPLATE_TEST_CASE("large numbers and infinities saturate, NaN stays NaN", "[float8]", float8_e4m3,
                   float8_e5m2) {
  using Limits = std::numeric_limits<TestType>;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto largest = static_cast<float>(Format<TestType>::largest);
  for (const float x :
       {largest, largest * 1.01F, largest * 16, std::numeric_limits<float>::max(), infinity}) {
    CHECK(static_cast<float>(TestType(x)) == largest);
    CHECK(static_cast<float>(TestType(-x)) == -largest);
  }
  for (const float nan : {std::bit_cast<float>(0x7F800001U), std::bit_cast<float>(0xFFFFFFFFU)})
    CHECK(std::isnan(static_cast<float>(TestType(nan))));
  CHECK(static_cast<float>(Limits::max()) == largest);
  CHECK(static_cast<unsigned>(Limits::denorm_min().bits) == 1);
  CHECK(std::isnan(static_cast<float>(Limits::quiet_NaN())));
  CHECK(static_cast<float>(Limits::epsilon()) == std::ldexp(1.0F, 1 - Limits::digits));
}

}  // namespace
}  // namespace rooftile
