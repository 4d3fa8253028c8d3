// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "rooftile/complex.hpp"
#include "rooftile/float16.hpp"
#include "rooftile/float8.hpp"
#include "rooftile/modes.hpp"

namespace rooftile {

/// The types that all three matrices of a product may have, in the order of `Type`.
using Elements = std::tuple<float, double, float16, bfloat16, complex<float>, complex<double>>;
/// The element types in the order of `Type`. The last three occur only in mixed types. float8_e4m3 represents
/// both formats of 8-bit floats.
using AllElements =
    decltype(std::tuple_cat(Elements(), std::tuple<std::int8_t, std::int32_t, float8_e4m3>()));

/// The type of a mixed product: A and B have elements E, C has elements R. `GemmArgs` and other templates
/// take it in place of an element type.
template <class E, class R>
struct Mixed {};

namespace detail {

/// The index of T in `AllElements`; the number of types if T is none.
template <class T>
inline constexpr std::size_t type_index = []<class... E>(std::type_identity<std::tuple<E...>>) {
  std::size_t i = 0;
  static_cast<void>(((std::is_same_v<T, E> || (++i, false)) || ...));
  return i;
}(std::type_identity<AllElements>());

}  // namespace detail

/// Whether all matrices of a product can have elements T.
template <class T>
concept Element = detail::type_index<T> < std::tuple_size_v<Elements>;

/// Whether T has 16 bits: float16 or bfloat16.
template <class T>
concept Element16 = Element<T> && is_16_bit(static_cast<Type>(detail::type_index<T>));

/// Whether some matrix of a product can have elements T.
template <class T>
concept AnyElement = detail::type_index<T> < std::tuple_size_v<AllElements>;

namespace detail {

/// The types of a product of T.
template <class T>
struct ProductTypes {
  using In = T;
  using Out = T;
  using Accumulator = std::conditional_t<Element16<T>, float, T>;
};
template <class E, class R>
struct ProductTypes<Mixed<E, R>> {
  using In = E;
  using Out = R;
  using Accumulator = std::conditional_t<Element16<R>, float, R>;
};

}  // namespace detail

/// The elements of A and B in products of T: T, or E of Mixed<E,R>.
template <class T>
using In = typename detail::ProductTypes<T>::In;
/// The elements of C in products of T: T, or R of Mixed<E,R>.
template <class T>
using Out = typename detail::ProductTypes<T>::Out;

/// The type of alpha, beta and the accumulator in products of T: float if C has 16 bits, R of Mixed<E,R>,
/// else T.
template <class T>
using Scalar = typename detail::ProductTypes<T>::Accumulator;

/// The product type of A and B of E and C of R.
template <class E, class R>
using ProductOf = std::conditional_t<std::is_same_v<E, R>, E, Mixed<E, R>>;

/// Returns the `Type` of T, or of A and B if T is Mixed.
template <class T>
requires AnyElement<In<T>>
constexpr Type type_of() {
  return static_cast<Type>(detail::type_index<In<T>>);
}
/// Returns the `Type` of C.
template <class T>
requires AnyElement<Out<T>>
constexpr Type result_type_of() {
  return static_cast<Type>(detail::type_index<Out<T>>);
}
/// Returns the own mode of products of T.
template <class T>
requires AnyElement<In<T>> && AnyElement<Out<T>>
constexpr ComputeMode own_mode() {
  return own_mode(type_of<T>(), result_type_of<T>());
}
/// Whether a mode computes products of T. @pre `math` is not `automatic`
template <class T>
constexpr bool is_mode_of(ComputeMode math) {
  return mode_of(math).element == type_of<T>() && mode_of(math).result == result_type_of<T>();
}

/// Whether products of A and B of E and C of R exist: one element type, or the types of a mode.
template <class E, class R>
concept HasProducts = AnyElement<E> && AnyElement<R> && own_mode<ProductOf<E, R>>()
!= ComputeMode::automatic;

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

/// The real type of the parts of T; T itself if it is real.
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

/// The element type of a mode's A and B. @pre `math` is not `automatic`
template <ComputeMode math>
using ElementIn = std::tuple_element_t<static_cast<std::size_t>(type_of(math)), AllElements>;
/// The product type of a mode: its element type, or Mixed. @pre `math` is not `automatic`
template <ComputeMode math>
using ProductIn =
    ProductOf<ElementIn<math>,
              std::tuple_element_t<static_cast<std::size_t>(mode_of(math).result), AllElements>>;

namespace detail {

/// The mixed product types, in the order of `modes`.
template <class Indices>
struct MixedModes;
template <std::size_t... i>
struct MixedModes<std::index_sequence<i...>> {
  template <std::size_t n>
  using One = std::conditional_t<modes[n].is_mixed(), std::tuple<ProductIn<modes[n].math>>, std::tuple<>>;
  using type = decltype(std::tuple_cat(One<i>()...));
};

}  // namespace detail

/// A tuple with Mixed<E,R> for each mode of mixed types.
using MixedProducts = typename detail::MixedModes<std::make_index_sequence<mode_count>>::type;

}  // namespace rooftile
