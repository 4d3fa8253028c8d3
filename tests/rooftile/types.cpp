// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The 16-bit element types compared with exact arithmetic in double, and the properties of each type.
#include "rooftile/types.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <type_traits>

#include <catch2/catch_template_test_macros.hpp>

#include "rooftile/detail/epilogue.hpp"

namespace rooftile {
namespace {

/// The parameters of an IEEE 754 format.
template <class T>
struct Format;
template <>
struct Format<float16> {
  static constexpr int digits = 11, fraction_bits = 10, min_exponent = -14, bias = 15;
};
template <>
struct Format<bfloat16> {
  static constexpr int digits = 8, fraction_bits = 7, min_exponent = -126, bias = 127;
};

template <class T>
T of_bits(unsigned bits) {
  return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
}

/// The value of a bit pattern by the definition.
template <class T>
double value_of(unsigned bits) {
  using F = Format<T>;
  const unsigned fraction = bits & ((1U << F::fraction_bits) - 1);
  const int exponent = static_cast<int>((bits & 0x7FFFU) >> F::fraction_bits);
  const double sign = (bits & 0x8000U) == 0 ? 1 : -1;
  if (exponent == 2 * F::bias + 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const double significand = fraction + (exponent == 0 ? 0.0 : std::ldexp(1.0, F::fraction_bits));
  return sign *
         std::ldexp(significand, (exponent == 0 ? F::min_exponent : exponent - F::bias) - F::fraction_bits);
}

/// A float rounded to the format by the definition: to a multiple of the last place, ties to even.
template <class T>
double rounded(float x) {
  using F = Format<T>;
  if (x == 0 || !std::isfinite(x)) return static_cast<double>(x);
  const int exponent = std::max(std::ilogb(x), F::min_exponent);
  const double last_place = std::ldexp(1.0, exponent - F::fraction_bits);
  const double result = std::nearbyint(static_cast<double>(x) / last_place) * last_place;
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, -F::fraction_bits), F::bias);
  return std::abs(result) <= largest ? result : std::copysign(std::numeric_limits<double>::infinity(), x);
}

/// Whether both are equal numbers with equal signs, or both are NaN.
bool same(double x, double y) {
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

TEMPLATE_TEST_CASE("every bit pattern has the value of its format, and comes back", "[types]", float16,
                   bfloat16) {
  unsigned wrong = 0;
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const auto x = of_bits<TestType>(bits);
    const float value = x;
    wrong += !same(static_cast<double>(value), value_of<TestType>(bits));
    const TestType back(value);
    wrong += std::isnan(value) ? !std::isnan(static_cast<float>(back)) : back.bits != bits;
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("floats round to nearest, ties to even", "[types]", float16, bfloat16) {
  // Each number of the format, with floats near it and near the midpoint to the next number.
  unsigned wrong = 0;
  for (unsigned bits = 0; bits < 0x8000U; ++bits) {
    const float x = of_bits<TestType>(bits), next = of_bits<TestType>(bits + 1);
    if (std::isnan(x)) continue;
    const float largest = static_cast<float>(std::numeric_limits<TestType>::max());
    // Above the largest number, the midpoint is half of a last place further on.
    const float middle = std::isfinite(next) ? x + (next - x) / 2
                         : std::isfinite(x)  ? x + (x - static_cast<float>(of_bits<TestType>(bits - 1))) / 2
                                             : largest;
    for (const float near : {x, middle}) {
      for (const float y : {std::nextafter(near, -1.0F), near, std::nextafter(near, HUGE_VALF)}) {
        wrong += !same(static_cast<double>(static_cast<float>(TestType(y))), rounded<TestType>(y));
        wrong += !same(static_cast<double>(static_cast<float>(TestType(-y))), rounded<TestType>(-y));
      }
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("floats of every exponent round as the definition says", "[types]", float16, bfloat16) {
  // Every 4099th of the 2^32 floats: covers every exponent many times and all low bits.
  unsigned wrong = 0;
  for (std::uint64_t word = 0; word < (std::uint64_t{1} << 32); word += 4099) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(word));
    const float result = static_cast<float>(TestType(x));
    wrong += !same(static_cast<double>(result), rounded<TestType>(x));
  }
  CHECK(wrong == 0);
}

TEST_CASE("NaN whose payload is in the low bits only stays NaN", "[types]") {
  CHECK(std::isnan(static_cast<float>(bfloat16(std::bit_cast<float>(0x7F800001U)))));
  CHECK(std::isnan(static_cast<float>(float16(std::bit_cast<float>(0xFF800001U)))));
}

TEMPLATE_TEST_CASE("an element of 16 bits is 16 bits that a kernel can copy, with the limits of its format",
                   "[types]", float16, bfloat16) {
  STATIC_CHECK((sizeof(TestType) == 2 && std::is_trivial_v<TestType>));
  STATIC_CHECK(static_cast<float>(TestType(-2.5F)) == -2.5F);  // at compile time
  using Limits = std::numeric_limits<TestType>;
  const auto value = [](TestType x) { return static_cast<double>(static_cast<float>(x)); };
  CHECK(Limits::digits == Format<TestType>::digits);
  CHECK(value(Limits::epsilon()) == std::ldexp(1.0, 1 - Limits::digits));
  CHECK(Limits::denorm_min().bits == 1);
  CHECK(value(Limits::max()) == value_of<TestType>(Limits::infinity().bits - 1U));
  CHECK((std::isinf(value(Limits::infinity())) && std::isnan(value(Limits::quiet_NaN()))));
}

TEST_CASE("types, math modes and their names belong together", "[types]") {
  STATIC_CHECK((Element16<float16> && Element16<bfloat16>));
  STATIC_CHECK((!Element16<float> && !Element16<double> && !Element16<short>));
  STATIC_CHECK((!Element<int> && !Element<std::int8_t> && AnyElement<std::int8_t> && !AnyElement<short>));
  STATIC_CHECK((std::is_same_v<Scalar<float16>, float> && std::is_same_v<Scalar<double>, double>));
  STATIC_CHECK((std::is_same_v<Real<complex<float>>, float> && std::is_same_v<Real<double>, double>));
  STATIC_CHECK((real_multiply_adds(Type::cfp64) == 4 && real_multiply_adds(Type::bf16) == 1));
  std::set<std::string_view> names;
  for (const ComputeMode math : all_modes) {
    CHECK(all_modes[static_cast<std::size_t>(math)] == math);
    CHECK(names.insert(to_string(math)).second);
  }
  std::size_t count = 0;
  for_each_element([&]<class T>() {
    CHECK(type_of<T>() == static_cast<Type>(count++));
    CHECK(size_of(type_of<T>()) == sizeof(T));
    CHECK(is_complex(type_of<T>()) == detail::is_complex<T>);
    CHECK(is_16_bit(type_of<T>()) == Element16<T>);
    CHECK(type_of(own_mode<T>()) == type_of<T>());
    CHECK(to_string(own_mode<T>()) == to_string(type_of<T>()));
  });
  CHECK(count == std::tuple_size_v<Elements>);
  for (const Mode& mode : modes) {  // a type's own mode loses no precision
    if (!mode.is_own()) continue;
    CHECK((mode.terms == 1 && mode.error.factor == 1));
    CHECK((mode.error.operands == 0 || mode.operand == Operand::fp8));
  }
  CHECK((type_of(ComputeMode::tf32) == Type::fp32 && to_string(ComputeMode::automatic) == "automatic"));
  STATIC_CHECK(std::is_same_v<ElementIn<ComputeMode::tf32>, float>);
}

TEST_CASE("each pair of mixed types has a math mode of its own", "[types]") {
  STATIC_CHECK(std::is_same_v<MixedProducts,
                              std::tuple<Mixed<float16, float>, Mixed<bfloat16, float>, Mixed<float, double>,
                                         Mixed<std::int8_t, std::int32_t>, Mixed<float8_e4m3, float>,
                                         Mixed<float8_e4m3, bfloat16>, Mixed<float8_e4m3, float16>>>);
  STATIC_CHECK((HasProducts<float, float> && HasProducts<float, double> && HasProducts<bfloat16, float>));
  STATIC_CHECK((!HasProducts<double, float> && !HasProducts<std::int8_t, float> && !HasProducts<int, int>));
  STATIC_CHECK(!HasProducts<float16, bfloat16>);
  STATIC_CHECK(std::is_same_v<Scalar<Mixed<float, double>>, double>);
  STATIC_CHECK(std::is_same_v<ProductIn<ComputeMode::int8_int32>, Mixed<std::int8_t, std::int32_t>>);
  STATIC_CHECK(std::is_same_v<ProductIn<ComputeMode::tf32>, float>);
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    (
        [&] {
          const Mode& mode = mode_of(own_mode<T>());
          CHECK((mode.is_mixed() && mode.is_own() && mode.terms == 1));
          CHECK(mode.accumulator == (is_16_bit(mode.result) ? Type::fp32 : mode.result));
          CHECK((size_of(mode.element) == sizeof(In<T>) && size_of(mode.result) == sizeof(Out<T>)));
          CHECK(mode.name ==
                std::string(to_string(mode.element)) + '_' + std::string(to_string(mode.result)));
          CHECK((is_mode_of<T>(mode.math) && !is_mode_of<In<T>>(mode.math)));
        }(),
        ...);
  }(std::type_identity<MixedProducts>());
  STATIC_CHECK((is_mode_of<float>(ComputeMode::tf32) && !is_mode_of<float>(ComputeMode::fp32_fp64)));
  CHECK(to_string(Type::bf16, Type::fp32) == "bf16 with C of fp32");
  CHECK(to_string(Type::bf16, Type::bf16) == "bf16");
}

TEST_CASE("sums of integers wrap around", "[types]") {
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  std::int32_t sum = largest;
  detail::multiply_add(sum, std::int32_t{1}, std::int32_t{1});
  CHECK(sum == std::numeric_limits<std::int32_t>::min());
  sum = 5;
  detail::update(sum, std::int32_t{2}, largest, std::int32_t{0});
  CHECK(sum == -2);
  detail::update(sum, std::int32_t{1}, largest, largest);  // 2³¹ - 1 - 2·(2³¹ - 1)
  CHECK(sum == -largest);
}

TEMPLATE_TEST_CASE("C of 16 bits is updated in float and rounded once", "[types]", float16, bfloat16) {
  TestType c = std::numeric_limits<TestType>::quiet_NaN();
  detail::update(c, 2.0F, 1.5F, 0.0F);
  CHECK(c == 3.0F);
  detail::update(c, 1.0F, 0x1p-11F, 1.0F);  // lost by itself, and so is half of it twice
  CHECK(c == 3.0F);
  detail::update(c, 0x1p11F, 0x1p-11F, 0.5F);
  CHECK(c == 2.5F);
}

}  // namespace
}  // namespace rooftile
