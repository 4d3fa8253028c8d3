// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cpu/simd.hpp"
#include "rooftile/matrix.hpp"

/// Sums of the lanes of several vectors, and the first or last lanes of one.
namespace rooftile::portable {

/// Sums of x's lanes l and l + d in the lanes without d, those of y's in the others.
template <int d, class T, int... l>
[[gnu::always_inline]] inline auto folded(const typename Simd<T>::Vector& x,
                                          const typename Simd<T>::Vector& y,
                                          std::integer_sequence<int, l...>) {
  constexpr int lanes = Simd<T>::lanes;
  return __builtin_shufflevector(x, y, ((l & d) == 0 ? l : lanes + l - d)...) +
         __builtin_shufflevector(x, y, ((l & d) == 0 ? l + d : lanes + l)...);
}

/// The lane that has the sum of vector i: the bits of i % lanes the other way round.
template <int lanes>
constexpr int lane_of_sum(int i) {
  int lane = 0;
  for (int bit = 1; bit < lanes; bit *= 2) lane += (i & bit) != 0 ? lanes / 2 / bit : 0;
  return lane;
}

/// The sums of the elements of some vectors, of which two are folded into one, and two of those, until the
/// lanes are used up: the first bit of a vector's number chooses the upper half of the lanes, and so on.
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

/// 0, 1, 2, ... in integers as wide as T, for comparisons: their result chooses lanes.
template <class V, class T>
[[gnu::always_inline]] inline auto lane_numbers() {
  using Number = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef Number Numbers [[gnu::vector_size(sizeof(typename V::Vector))]];
  return []<int... l>(std::integer_sequence<int, l...>) __attribute__((always_inline)) {
    return Numbers{l...};
  }
  (typename V::Lanes());
}

/// The last lanes of a vector from `skip` on, before them zeros.
template <class T>
[[gnu::always_inline]] inline auto from_lane(Index skip, const typename Simd<T>::Vector& x) {
  const auto numbers = lane_numbers<Simd<T>, T>();
  return numbers >= decltype(numbers){} + static_cast<int>(skip) ? x : typename Simd<T>::Vector{};
}

/// The first lanes of a vector up to `end`, behind them zeros.
template <class V, class T>
[[gnu::always_inline]] inline auto to_lane(Index end, const typename V::Vector& x) {
  const auto numbers = lane_numbers<V, T>();
  return numbers < decltype(numbers){} + static_cast<int>(end) ? x : typename V::Vector{};
}

}  // namespace rooftile::portable
