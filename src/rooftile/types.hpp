// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "rooftile/complex.hpp"
#include "rooftile/float16.hpp"

namespace rooftile {

/// What a matrix is made of.
enum class Type { fp32, fp64, fp16, bf16, cfp32, cfp64 };

/// The elements of each, in their order.
using Elements = std::tuple<float, double, float16, bfloat16, complex<float>, complex<double>>;

/// `fp32`
constexpr std::string_view to_string(Type type) {
  constexpr std::string_view names[] = {"fp32", "fp64", "fp16", "bf16", "cfp32", "cfp64"};
  return names[static_cast<std::size_t>(type)];
}

/// Bytes of an element.
constexpr std::size_t size_of(Type type) {
  constexpr std::size_t sizes[] = {4, 8, 2, 2, 8, 16};
  return sizes[static_cast<std::size_t>(type)];
}
/// Whether elements have a real and an imaginary part.
constexpr bool is_complex(Type type) {
  return type == Type::cfp32 || type == Type::cfp64;
}
/// Whether they, or their parts, are fp64.
constexpr bool multiplies_fp64(Type type) {
  return type == Type::fp64 || type == Type::cfp64;
}
/// Multiply-adds of real numbers for one of elements.
constexpr int real_multiply_adds(Type type) {
  return is_complex(type) ? 4 : 1;
}
/// Whether elements have 16 bits, and so are summed in fp32.
constexpr bool is_16_bit(Type type) {
  return type == Type::fp16 || type == Type::bf16;
}

/// What the products of elements are computed in (`modes`). Each mode but `automatic` belongs to one element
/// type: the type's own, exact products summed in fp32 or wider; or, of fp32, one that gives up accuracy for
/// speed.
enum class Math {
  automatic = -1,  ///< the element type's own
  fp32,
  fp64,
  fp16,    ///< products of fp16, summed in fp32
  bf16,    ///< products of bf16, summed in fp32
  tf32,    ///< elements of fp32 rounded to 11 significant bits, summed in fp32
  tf32x3,  ///< three products of tf32 for one of fp32, nearly its accuracy; fp32 itself where that is faster
  cfp32,   ///< complex numbers of two fp32
  cfp64,   ///< complex numbers of two fp64
};

/// What an engine multiplies.
enum class Operand { fp64, fp32, tf32, bf16, fp16 };

/// How far a mode's A·B may be from the exact one (`error_bound`), of n roundings:
/// factor·(operands + γₙ(unit_roundoff)), relative to |A|·|B|.
struct ModeError {
  double unit_roundoff;  ///< of the sums
  double operands = 0;   ///< of a product whose two factors were rounded to the operand
  double factor = 1;     ///< of all of it
};

/// A compute mode.
struct Mode {
  Math math;              ///< whose row it is
  std::string_view name;  ///< on the command line and in files
  Type element;           ///< of A, B and C
  Operand operand;        ///< that the engine multiplies
  Type sum;               ///< that products are summed in
  int terms;              ///< products of operands for one of elements, or of their parts
  ModeError error;        ///< how far its A·B may be from the exact one

  /// Whether it is the mode that its element type has by itself.
  constexpr bool is_own() const { return name == to_string(element); }
};

namespace detail {

/// Tensor cores truncate sums instead of rounding them, and align the addends of a block to the largest first
/// (Fasi, Higham, Mikaitis, Pranesh: Numerical behavior of NVIDIA tensor cores, 2021).
inline constexpr double rounded_fp32 = 0x1p-24, truncated_fp32 = 0x1p-23, rounded_fp64 = 0x1p-53,
                        rounded_tf32 = 0x1p-11;

}  // namespace detail

/// The one table of compute modes: kernels, tests, bench and command line have theirs from here. Products of
/// 16 bits and of tf32 are exact in fp32. tf32x3 is held to twice the bound of fp32.
inline constexpr Mode modes[] = {
    {Math::fp32, "fp32", Type::fp32, Operand::fp32, Type::fp32, 1, {detail::rounded_fp32}},
    {Math::fp64, "fp64", Type::fp64, Operand::fp64, Type::fp64, 1, {detail::rounded_fp64}},
    {Math::fp16, "fp16", Type::fp16, Operand::fp16, Type::fp32, 1, {detail::truncated_fp32}},
    {Math::bf16, "bf16", Type::bf16, Operand::bf16, Type::fp32, 1, {detail::truncated_fp32}},
    {Math::tf32,
     "tf32",
     Type::fp32,
     Operand::tf32,
     Type::fp32,
     1,
     {detail::truncated_fp32, 2 * detail::rounded_tf32 + detail::rounded_tf32* detail::rounded_tf32}},
    {Math::tf32x3, "tf32x3", Type::fp32, Operand::tf32, Type::fp32, 3, {detail::rounded_fp32, 0, 2}},
    {Math::cfp32, "cfp32", Type::cfp32, Operand::fp32, Type::cfp32, 1, {detail::rounded_fp32}},
    {Math::cfp64, "cfp64", Type::cfp64, Operand::fp64, Type::cfp64, 1, {detail::rounded_fp64}},
};
/// How many there are.
inline constexpr std::size_t math_count = std::size(modes);

/// The row of a mode. @pre `math` is not `automatic`
constexpr const Mode& mode_of(Math math) {
  return modes[static_cast<std::size_t>(math)];
}

/// All but `automatic`.
inline constexpr std::array<Math, math_count> all_maths = [] {
  std::array<Math, math_count> all{};
  for (std::size_t i = 0; i < math_count; ++i) all[i] = modes[i].math;
  return all;
}();

/// The mode's name, or `automatic`.
constexpr std::string_view to_string(Math math) {
  return math == Math::automatic ? "automatic" : mode_of(math).name;
}

/// The type's own mode, which lowers no accuracy.
constexpr Math own_math(Type type) {
  for (const Mode& mode : modes) {
    if (mode.element == type && mode.is_own()) return mode.math;
  }
  return Math::automatic;
}

/// The element type of a mode. @pre `math` is not `automatic`
constexpr Type type_of(Math math) {
  return mode_of(math).element;
}

namespace detail {

/// The type that T is; the number of types where it is none.
template <class T>
inline constexpr std::size_t type_index = []<class... E>(std::type_identity<std::tuple<E...>>) {
  std::size_t i = 0;
  static_cast<void>(((std::is_same_v<T, E> || (++i, false)) || ...));
  return i;
}(std::type_identity<Elements>());

}  // namespace detail

/// Whether T can be an element: float, double, float16, bfloat16 or complex.
template <class T>
concept Element = detail::type_index<T> < std::tuple_size_v<Elements>;

/// Whether T is one of 16 bits: float16 or bfloat16.
template <class T>
concept Element16 = Element<T> && is_16_bit(static_cast<Type>(detail::type_index<T>));

/// The type that T is.
template <Element T>
constexpr Type type_of() {
  return static_cast<Type>(detail::type_index<T>);
}
/// The same of T.
template <Element T>
constexpr Math own_math() {
  return own_math(type_of<T>());
}

/// The type of alpha, beta and the sums of a product of T: float for 16 bits, else T itself.
template <class T>
using Scalar = std::conditional_t<Element16<T>, float, T>;

namespace detail {

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<complex<R>> {
  using type = R;
};

}  // namespace detail

/// The type of the parts of a complex number, else T itself.
template <class T>
using Real = typename detail::RealOf<T>::type;

namespace detail {

template <template <class> class Of, class Tuple>
struct ForEach;
template <template <class> class Of, class... T>
struct ForEach<Of, std::tuple<T...>> {
  using type = std::tuple<Of<T>...>;
};

}  // namespace detail

/// A tuple with an Of<T> for each element type.
template <template <class> class Of>
using ForElements = typename detail::ForEach<Of, Elements>::type;

/// Calls `f.operator()<T>()` for each element type.
template <class F>
constexpr void for_each_element(const F& f) {
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    (f.template operator()<T>(), ...);
  }(std::type_identity<Elements>());
}

/// The element type of a math mode. @pre `math` is not `automatic`
template <Math math>
using ElementIn = std::tuple_element_t<static_cast<std::size_t>(type_of(math)), Elements>;

}  // namespace rooftile
