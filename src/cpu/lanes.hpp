// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cpu/simd.hpp"
#include "rooftile/matrix.hpp"

/// Sums over the lanes of several vectors, and selection of the first or last lanes of a vector.
namespace rooftile::portable {

/// Folds two vectors into one: x[l] + x[l + d] in the lanes l without bit d, y[l - d] + y[l] in the others.
template <int d, class T, int... l>
[[gnu::always_inline]] inline auto folded(const typename Simd<T>::Vector& x,
                                          const typename Simd<T>::Vector& y,
                                          std::integer_sequence<int, l...>) {
  constexpr int lanes = Simd<T>::lanes;
  return __builtin_shufflevector(x, y, ((l & d) == 0 ? l : lanes + l - d)...) +
         __builtin_shufflevector(x, y, ((l & d) == 0 ? l + d : lanes + l)...);
}

/// The lane with the sum of vector i: the bits of i % lanes in reverse order.
template <int lanes>
constexpr int lane_of_sum(int i) {
  int lane = 0;
  for (int bit = 1; bit < lanes; bit *= 2) lane += (i & bit) != 0 ? lanes / 2 / bit : 0;
  return lane;
}

/// The sum over the lanes of each vector. Each level folds pairs of vectors into one, until each lane holds a
/// sum. The lowest bit of a vector's number selects the upper half of the lanes, the next bit a quarter, and
/// so on.
template <class T, int all, int d = Simd<T>::lanes / 2, int count>
[[gnu::always_inline]] inline void sums(const typename Simd<T>::Vector (&x)[count], T (&out)[all]) {
  constexpr int lanes = Simd<T>::lanes, next = (count + 1) / 2;
  if constexpr (d > 0) {
    typename Simd<T>::Vector half[next];
    unrolled<next>([&](auto i) __attribute__((always_inline)) {
      half[i] = folded<d, T>(x[2 * i], x[std::min(2 * i + 1, count - 1)], typename Simd<T>::Lanes());
    });
    sums<T, all, d / 2>(half, out);
  } else if constexpr (all == lanes) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
      Simd<T>::store(out, __builtin_shufflevector(x[0], x[0], lane_of_sum<lanes>(i)...));
    }
    (typename Simd<T>::Lanes());
  } else {
    unrolled<all>([&](auto i)
                      __attribute__((always_inline)) { out[i] = x[i / lanes][lane_of_sum<lanes>(i)]; });
  }
}

/// 0, 1, 2, ... in integers as wide as T. A comparison with these numbers gives a lane mask.
template <class V, class T>
[[gnu::always_inline]] inline auto lane_numbers() {
  using Number = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef Number Numbers [[gnu::vector_size(sizeof(typename V::Vector))]];
  return []<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline)) {
    return Numbers{l...};
  }
  (typename V::Lanes());
}

/// Keeps the lanes of a vector from `skip` on, and sets the lanes before to zero.
template <class T>
[[gnu::always_inline]] inline auto from_lane(Index skip, const typename Simd<T>::Vector& x) {
  const auto numbers = lane_numbers<Simd<T>, T>();
  return numbers >= decltype(numbers){} + static_cast<int>(skip) ? x : typename Simd<T>::Vector{};
}

/// Keeps the lanes of a vector before `end`, and sets the others to zero.
template <class V, class T>
[[gnu::always_inline]] inline auto to_lane(Index end, const typename V::Vector& x) {
  const auto numbers = lane_numbers<V, T>();
  return numbers < decltype(numbers){} + static_cast<int>(end) ? x : typename V::Vector{};
}

}  // namespace rooftile::portable
