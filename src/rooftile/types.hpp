// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>
#include <tuple>

#include "rooftile/float16.hpp"

namespace rooftile {

/// What a matrix is made of.
enum class Type { fp32, fp64, fp16, bf16 };

/// What the products of elements are computed in. Each mode but `automatic` belongs to one element type: the
/// type's own, exact products summed in fp32 or wider; or, of fp32, one that gives up accuracy for speed.
enum class Math {
  automatic = -1,  ///< the element type's own
  fp32,
  fp64,
  fp16,    ///< products of fp16, summed in fp32
  bf16,    ///< products of bf16, summed in fp32
  tf32,    ///< elements of fp32 rounded to 11 significant bits, summed in fp32
  tf32x3,  ///< three products of tf32 for one of fp32, nearly its accuracy; fp32 itself where that is faster
};

/// All but `automatic`.
inline constexpr Math all_maths[] = {Math::fp32, Math::fp64, Math::fp16,
                                     Math::bf16, Math::tf32, Math::tf32x3};
inline constexpr std::size_t math_count = std::size(all_maths);

constexpr std::string_view to_string(Type type) {
  constexpr std::string_view names[] = {"fp32", "fp64", "fp16", "bf16"};
  return names[static_cast<std::size_t>(type)];
}
constexpr std::string_view to_string(Math math) {
  constexpr std::string_view names[] = {"automatic", "fp32", "fp64", "fp16", "bf16", "tf32", "tf32x3"};
  return names[static_cast<std::size_t>(static_cast<int>(math) + 1)];
}

/// Bytes of an element.
constexpr std::size_t size_of(Type type) {
  return type == Type::fp64 ? 8 : type == Type::fp32 ? 4 : 2;
}

/// The type's own mode, which lowers no accuracy.
constexpr Math own_math(Type type) {
  switch (type) {
    case Type::fp32:
      return Math::fp32;
    case Type::fp64:
      return Math::fp64;
    case Type::fp16:
      return Math::fp16;
    case Type::bf16:
      return Math::bf16;
  }
  return Math::automatic;
}

/// The element type of a mode. @pre `math` is not `automatic`
constexpr Type type_of(Math math) {
  switch (math) {
    case Math::fp64:
      return Type::fp64;
    case Math::fp16:
      return Type::fp16;
    case Math::bf16:
      return Type::bf16;
    default:
      return Type::fp32;
  }
}

namespace detail {

template <class T>
struct ElementTraits {
  using Scalar = T;
};
template <>
struct ElementTraits<float> {
  static constexpr Type type = Type::fp32;
  using Scalar = float;
};
template <>
struct ElementTraits<double> {
  static constexpr Type type = Type::fp64;
  using Scalar = double;
};
template <>
struct ElementTraits<float16> {
  static constexpr Type type = Type::fp16;
  using Scalar = float;
};
template <>
struct ElementTraits<bfloat16> {
  static constexpr Type type = Type::bf16;
  using Scalar = float;
};

}  // namespace detail

/// Whether T can be an element: float, double, float16 or bfloat16.
template <class T>
concept Element = requires {
  detail::ElementTraits<T>::type;
};

template <Element T>
constexpr Type type_of() {
  return detail::ElementTraits<T>::type;
}
template <Element T>
constexpr Math own_math() {
  return own_math(type_of<T>());
}

/// The type of alpha, beta and the sums of a product of T: float for 16 bits, else T itself.
template <class T>
using Scalar = typename detail::ElementTraits<T>::Scalar;

/// The element type of a math mode. @pre `math` is not `automatic`
template <Math math>
using ElementIn = std::tuple_element_t<static_cast<std::size_t>(type_of(math)),
                                       std::tuple<float, double, float16, bfloat16>>;

}  // namespace rooftile
