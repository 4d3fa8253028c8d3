// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "rooftile/complex.hpp"
#include "rooftile/float16.hpp"

namespace rooftile {

/// What a matrix is made of.
enum class Type { fp32, fp64, fp16, bf16, cfp32, cfp64, int8, int32 };

/// Those that all matrices of a product may have, in their order.
using Elements = std::tuple<float, double, float16, bfloat16, complex<float>, complex<double>>;
/// The elements of each type, in their order: behind those, the ones of products of mixed types alone.
using AllElements = decltype(std::tuple_cat(Elements(), std::tuple<std::int8_t, std::int32_t>()));

/// `fp32`
constexpr std::string_view to_string(Type type) {
  constexpr std::string_view names[] = {"fp32", "fp64", "fp16", "bf16", "cfp32", "cfp64", "int8", "int32"};
  return names[static_cast<std::size_t>(type)];
}

/// `fp32`; of products whose C has another type than A and B, `bf16 with C of fp32`.
inline std::string to_string(Type type, Type result) {
  return std::string(to_string(type)) +
         (result == type ? "" : " with C of " + std::string(to_string(result)));
}

/// Bytes of an element.
constexpr std::size_t size_of(Type type) {
  constexpr std::size_t sizes[] = {4, 8, 2, 2, 8, 16, 1, 4};
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
/// type of A and B and one of C: the types' own, exact products summed in fp32 or wider; or, of fp32, one
/// that gives up accuracy for speed.
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
  fp16_fp32,   ///< A and B of fp16, C of fp32
  bf16_fp32,   ///< A and B of bf16, C of fp32
  fp32_fp64,   ///< A and B of fp32, products, sums and C of fp64
  int8_int32,  ///< A and B of int8, C of int32: exact, and modulo 2³² where that overflows
  fp64_int8,   ///< fp64 from exact products of int8, as accurate; fp64 itself where nothing proves that
  cfp32_tf32,  ///< complex numbers of two fp32, whose parts are rounded as those of tf32
  cfp32_3m,    ///< complex numbers of two fp32, multiplied by three real products in place of four
  cfp64_3m,    ///< the same of two fp64
  cfp64_int8,  ///< fp64_int8 of complex numbers
};

/// What an engine multiplies.
enum class Operand { fp64, fp32, tf32, bf16, fp16, int8 };

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
  Type element;           ///< of A and B
  Type result;            ///< of C
  Operand operand;        ///< that the engine multiplies
  Type sum;               ///< that products are summed in
  int terms;              ///< products of operands for one of elements, or of their parts
  ModeError error;        ///< how far its A·B may be from the exact one
  /// Of complex numbers: 3M, three real products in place of four, a sum's imaginary part being what one of
  /// them and two others leave.
  bool three_products = false;

  /// Products of operands for one of real numbers that an element's product consists of.
  constexpr double real_products() const { return three_products ? 0.75 * terms : terms; }
  /// Whether it computes fp64 from products of residues, which are exact, or where these prove too little in
  /// the elements' own mode.
  constexpr bool takes_residues() const { return operand == Operand::int8 && element != Type::int8; }
  /// Whether the three products are rounded: the error counts with both parts' magnitudes then (`Reference`).
  constexpr bool rounds_three_products() const { return three_products && !takes_residues(); }
  /// Whether C has another element type than A and B.
  constexpr bool is_mixed() const { return element != result; }
  /// Whether it is the mode that its element types have by themselves.
  constexpr bool is_own() const { return is_mixed() || name == to_string(element); }
};

namespace detail {

/// Tensor cores truncate sums instead of rounding them, and align the addends of a block to the largest first
/// (Fasi, Higham, Mikaitis, Pranesh: Numerical behavior of NVIDIA tensor cores, 2021).
inline constexpr double rounded_fp32 = 0x1p-24, truncated_fp32 = 0x1p-23, rounded_fp64 = 0x1p-53,
                        rounded_tf32 = 0x1p-11,
                        product_of_tf32 = 2 * rounded_tf32 + rounded_tf32 * rounded_tf32;

}  // namespace detail

/// The one table of compute modes: kernels, tests, bench and command line have theirs from here. Products of
/// 16 bits and of tf32 are exact in fp32, those of fp32 in fp64. tf32x3 is held to twice the bound of fp32.
/// C of mixed types has the sums' type, so that none is rounded again. fp64_int8 and
/// cfp64_int8 take 13 to 16 products, as many as their guard finds.
inline constexpr Mode modes[] = {
    {Math::fp32, "fp32", Type::fp32, Type::fp32, Operand::fp32, Type::fp32, 1, {detail::rounded_fp32}},
    {Math::fp64, "fp64", Type::fp64, Type::fp64, Operand::fp64, Type::fp64, 1, {detail::rounded_fp64}},
    {Math::fp16, "fp16", Type::fp16, Type::fp16, Operand::fp16, Type::fp32, 1, {detail::truncated_fp32}},
    {Math::bf16, "bf16", Type::bf16, Type::bf16, Operand::bf16, Type::fp32, 1, {detail::truncated_fp32}},
    {Math::tf32,
     "tf32",
     Type::fp32,
     Type::fp32,
     Operand::tf32,
     Type::fp32,
     1,
     {detail::truncated_fp32, detail::product_of_tf32}},
    {Math::tf32x3,
     "tf32x3",
     Type::fp32,
     Type::fp32,
     Operand::tf32,
     Type::fp32,
     3,
     {detail::rounded_fp32, 0, 2}},
    {Math::cfp32, "cfp32", Type::cfp32, Type::cfp32, Operand::fp32, Type::cfp32, 1, {detail::rounded_fp32}},
    {Math::cfp64, "cfp64", Type::cfp64, Type::cfp64, Operand::fp64, Type::cfp64, 1, {detail::rounded_fp64}},
    {Math::fp16_fp32,
     "fp16_fp32",
     Type::fp16,
     Type::fp32,
     Operand::fp16,
     Type::fp32,
     1,
     {detail::rounded_fp32}},
    {Math::bf16_fp32,
     "bf16_fp32",
     Type::bf16,
     Type::fp32,
     Operand::bf16,
     Type::fp32,
     1,
     {detail::rounded_fp32}},
    {Math::fp32_fp64,
     "fp32_fp64",
     Type::fp32,
     Type::fp64,
     Operand::fp64,
     Type::fp64,
     1,
     {detail::rounded_fp64}},
    {Math::int8_int32, "int8_int32", Type::int8, Type::int32, Operand::int8, Type::int32, 1, {0}},
    {Math::fp64_int8,
     "fp64_int8",
     Type::fp64,
     Type::fp64,
     Operand::int8,
     Type::fp64,
     14,
     {detail::rounded_fp64}},
    {Math::cfp32_tf32,
     "cfp32_tf32",
     Type::cfp32,
     Type::cfp32,
     Operand::tf32,
     Type::cfp32,
     1,
     {detail::truncated_fp32, detail::product_of_tf32}},
    {Math::cfp32_3m,
     "cfp32_3m",
     Type::cfp32,
     Type::cfp32,
     Operand::fp32,
     Type::cfp32,
     1,
     {detail::rounded_fp32},
     true},
    {Math::cfp64_3m,
     "cfp64_3m",
     Type::cfp64,
     Type::cfp64,
     Operand::fp64,
     Type::cfp64,
     1,
     {detail::rounded_fp64},
     true},
    {Math::cfp64_int8,
     "cfp64_int8",
     Type::cfp64,
     Type::cfp64,
     Operand::int8,
     Type::cfp64,
     14,
     {detail::rounded_fp64},
     true},
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

/// The types' own mode, which lowers no accuracy; `automatic` where no product has A and B of `type` and C of
/// `result`.
constexpr Math own_math(Type type, Type result) {
  for (const Mode& mode : modes) {
    if (mode.element == type && mode.result == result && mode.is_own()) return mode.math;
  }
  return Math::automatic;
}
/// The same where C has the type of A and B.
constexpr Math own_math(Type type) {
  return own_math(type, type);
}

/// Whether two modes belong to the same element types. @pre neither is `automatic`
constexpr bool same_types(Math x, Math y) {
  return mode_of(x).element == mode_of(y).element && mode_of(x).result == mode_of(y).result;
}

/// Whether C has another element type than A and B. @pre `math` is not `automatic`
constexpr bool is_mixed(Math math) {
  return mode_of(math).is_mixed();
}

/// Whether a mode computes fp64 from products of residues; `automatic` does not.
constexpr bool takes_residues(Math math) {
  return math != Math::automatic && mode_of(math).takes_residues();
}

/// The element type of a mode's A and B. @pre `math` is not `automatic`
constexpr Type type_of(Math math) {
  return mode_of(math).element;
}

/// A product whose A and B have elements E and whose C has elements R: what stands for an element type in
/// `GemmArgs` and what takes them, where C has another one.
template <class E, class R>
struct Mixed {};

namespace detail {

/// The type that T is; the number of types where it is none.
template <class T>
inline constexpr std::size_t type_index = []<class... E>(std::type_identity<std::tuple<E...>>) {
  std::size_t i = 0;
  static_cast<void>(((std::is_same_v<T, E> || (++i, false)) || ...));
  return i;
}(std::type_identity<AllElements>());

}  // namespace detail

/// Whether all matrices of a product can be of T: float, double, float16, bfloat16 or complex.
template <class T>
concept Element = detail::type_index<T> < std::tuple_size_v<Elements>;

/// Whether T is one of 16 bits: float16 or bfloat16.
template <class T>
concept Element16 = Element<T> && is_16_bit(static_cast<Type>(detail::type_index<T>));

/// Whether a matrix can be of T: an Element, or one that products of mixed types have.
template <class T>
concept AnyElement = detail::type_index<T> < std::tuple_size_v<AllElements>;

namespace detail {

/// What products of T are made of, and alpha, beta and their sums.
template <class T>
struct ProductTypes {
  using In = T;
  using Out = T;
  using Sum = std::conditional_t<Element16<T>, float, T>;
};
template <class E, class R>
struct ProductTypes<Mixed<E, R>> {
  using In = E;
  using Out = R;
  using Sum = R;
};

}  // namespace detail

/// The elements of A and B of products of T: T itself, or E of Mixed<E,R>.
template <class T>
using In = typename detail::ProductTypes<T>::In;
/// Those of C: T itself, or R of Mixed<E,R>.
template <class T>
using Out = typename detail::ProductTypes<T>::Out;

/// The type of alpha, beta and the sums of a product of T: float for 16 bits, of mixed types C's, else T
/// itself.
template <class T>
using Scalar = typename detail::ProductTypes<T>::Sum;

/// What products with A and B of E and C of R are products of.
template <class E, class R>
using ProductOf = std::conditional_t<std::is_same_v<E, R>, E, Mixed<E, R>>;

/// The type that T is, or of mixed types that of A and B.
template <class T>
requires AnyElement<In<T>>
constexpr Type type_of() {
  return static_cast<Type>(detail::type_index<In<T>>);
}
/// The type of C.
template <class T>
requires AnyElement<Out<T>>
constexpr Type result_type_of() {
  return static_cast<Type>(detail::type_index<Out<T>>);
}
/// The own mode of products of T.
template <class T>
requires AnyElement<In<T>> && AnyElement<Out<T>>
constexpr Math own_math() {
  return own_math(type_of<T>(), result_type_of<T>());
}
/// Whether a mode is one of products of T. @pre `math` is not `automatic`
template <class T>
constexpr bool is_mode_of(Math math) {
  return mode_of(math).element == type_of<T>() && mode_of(math).result == result_type_of<T>();
}

/// Whether there are products of A and B of E and C of R: all of one type, or types of a mode.
template <class E, class R>
concept HasProducts = AnyElement<E> && AnyElement<R> && own_math<ProductOf<E, R>>()
!= Math::automatic;

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

/// The element type of a math mode's A and B. @pre `math` is not `automatic`
template <Math math>
using ElementIn = std::tuple_element_t<static_cast<std::size_t>(type_of(math)), AllElements>;
/// What a math mode computes products of: its element type, or Mixed. @pre `math` is not `automatic`
template <Math math>
using ProductIn =
    ProductOf<ElementIn<math>,
              std::tuple_element_t<static_cast<std::size_t>(mode_of(math).result), AllElements>>;

namespace detail {

/// The types of products of mixed types, in the order of `modes`.
template <class Indices>
struct MixedModes;
template <std::size_t... i>
struct MixedModes<std::index_sequence<i...>> {
  template <std::size_t n>
  using One = std::conditional_t<modes[n].is_mixed(), std::tuple<ProductIn<modes[n].math>>, std::tuple<>>;
  using type = decltype(std::tuple_cat(One<i>()...));
};

}  // namespace detail

/// Mixed<E,R> for each mode of mixed types.
using MixedProducts = typename detail::MixedModes<std::make_index_sequence<math_count>>::type;

}  // namespace rooftile
