// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu/simd.hpp"
#include "rooftile/types.hpp"

/// Vectors of float that are stored in 16 bits. The conversions match those of `float16` and `bfloat16` for
/// single numbers, without branches.
namespace rooftile::portable {

/// @tparam V  vectors of float
template <class V>
struct Narrow {
  typedef std::uint16_t Halves [[gnu::vector_size(2 * V::lanes)]];
  typedef std::uint32_t Words [[gnu::vector_size(4 * V::lanes)]];
  typedef std::int32_t Integers [[gnu::vector_size(4 * V::lanes)]];
  using Vector = typename V::Vector;

  static Vector widened(const Words& word, bfloat16 /*from*/) { return as<Vector>(word << 16); }

  static Vector widened(const Words& word, float16 /*from*/) {
    const Words sign = (word & 0x8000U) << 16, magnitude = word & 0x7FFFU;
    const Vector multiple = __builtin_convertvector(as<Integers>(magnitude), Vector) * 0x1p-24F;
    const Words rebias = magnitude >= 0x7C00U ? Words{} + 0x70000000U : Words{} + 0x38000000U;
    const Words subnormal = as<Words>(multiple), normal = (magnitude << 13) + rebias;
    return as<Vector>(sign | (magnitude < 0x400U ? subnormal : normal));
  }

  static Words rounded(const Words& word, bfloat16 /*to*/) {
    const Words nearest = word + 0x7FFFU + (word >> 16 & 1U);
    return ((word & 0x7FFFFFFFU) > 0x7F800000U ? word | 0x400000U : nearest) >> 16;
  }

  static Words rounded(const Words& word, float16 /*to*/) {
    const Words sign = (word & 0x80000000U) >> 16, magnitude = word & 0x7FFFFFFFU;
    const Words normal = (magnitude - 0x38000000U + 0xFFFU + (magnitude >> 13 & 1U)) >> 13;
    const Words subnormal = as<Words>(as<Vector>(magnitude) + 0.5F) - 0x3F000000U;
    const Words finite = magnitude >= 0x38800000U ? normal : subnormal;
    const Words large = magnitude > 0x7F800000U ? Words{} + 0x7E00U : Words{} + 0x7C00U;
    return sign | (magnitude >= 0x477FF000U ? large : finite);
  }

  template <class To, class From>
  static To as(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
  }
};

/// Loads a vector of T from elements of T or of a narrower type.
template <class V, class E>
[[gnu::always_inline]] inline typename V::Vector load_wide(const E* from) {
  if constexpr (Element16<E>) {
    using N = Narrow<V>;
    typename N::Halves halves;
    std::memcpy(&halves, from, sizeof halves);
    return N::widened(__builtin_convertvector(halves, typename N::Words), E{});
  } else if constexpr (!std::is_same_v<E, typename V::Element>) {
    typename Simd<E, V::lanes>::Vector narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, typename V::Vector);
  } else {
    return V::load(from);
  }
}

/// Stores a vector, rounded to nearest if the elements are narrower.
template <class V, class E>
[[gnu::always_inline]] inline void store_narrow(E* to, const typename V::Vector& x) {
  if constexpr (Element16<E>) {
    using N = Narrow<V>;
    const auto halves =
        __builtin_convertvector(N::rounded(N::template as<typename N::Words>(x), E{}), typename N::Halves);
    std::memcpy(static_cast<void*>(to), &halves, sizeof halves);
  } else {
    V::store(to, x);
  }
}

}  // namespace rooftile::portable
