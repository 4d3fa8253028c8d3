// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

/// Vectors of the CPU that this file is compiled for, with the vector extensions of GCC and clang.
namespace rooftile::portable {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
inline constexpr int vector_bytes = __ARM_FEATURE_SVE_BITS / 8;
#else
inline constexpr int vector_bytes = 16;  // SSE2, NEON, and SVE of unknown length as NEON
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_registers = 16;
#endif

/// @tparam count  elements of a vector, a power of two; by default a full register
template <class T, int count = vector_bytes / static_cast<int>(sizeof(T))>
struct Simd {
  using Element = T;
  static constexpr int lanes = count;
  using Lanes = std::make_integer_sequence<int, lanes>;

  // A member, since an attribute on an alias template gets lost where the alias is a template argument.
  typedef T Vector [[gnu::vector_size(count * sizeof(T))]];

  /// Loads and stores have no alignment requirement.
  static Vector load(const T* from) {
    Vector x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(T* to, const Vector& x) { std::memcpy(to, &x, sizeof x); }
};

/// Calls f(i) for i from 0 to n - 1, each a compile-time constant. An array that only constants index stays
/// in registers; an array in a loop that is unrolled later does not.
template <int n, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>()), ...);
  }
  (std::make_integer_sequence<int, n>());
}
template <int n, int m, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  unrolled<n>([&](auto i) __attribute__((always_inline)) {
    unrolled<m>([&](auto j) __attribute__((always_inline)) { f(i, j); });
  });
}

}  // namespace rooftile::portable
