// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <type_traits>

#include "device/nvidia/words.hpp"
#include "rooftile/float16.hpp"
#include "warp.hpp"

/// The matrix instructions of a warp whose lanes are host threads, following the figures of the PTX ISA.
namespace rooftile::detail {

inline void mma(double& d0, double& d1, double& d2, double& d3, const double (&a)[4], const double (&b)[2]) {
  const auto [g, t] = testing::this_lane().place();
  const auto lanes = testing::this_lane().exchange(std::array{a[0], a[1], a[2], a[3], b[0], b[1]});
  double* const d[2][2] = {{&d0, &d1}, {&d2, &d3}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < 8; ++k) {
        const auto half = static_cast<std::size_t>(k / 4);
        *d[i][j] += lanes(g, k % 4)[i + 2 * half] * lanes(2 * t + j, k % 4)[4 + half];
      }
    }
  }
}

/// The contents of a 32-bit word: two 16-bit numbers, or the upper 19 bits of an fp32.
template <class T>
auto numbers_in(Word word) {
  if constexpr (std::is_same_v<T, float>) {
    return std::array{bits_as<float>(word & 0xFFFFE000U)};
  } else {
    std::array<T, 2> pair;
    std::memcpy(&pair, &word, sizeof word);
    return std::array{static_cast<float>(pair[0]), static_cast<float>(pair[1])};
  }
}

template <class T>
void mma(float (&d)[4], const Word (&a)[4], Word b0, Word b1) {
  const auto [g, t] = testing::this_lane().place();
  const auto lanes = testing::this_lane().exchange(std::array{a[0], a[1], a[2], a[3], b0, b1});
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 8; ++k) {
      const auto x = numbers_in<T>(lanes(g, k % 4)[static_cast<std::size_t>(i / 2 + k / 4 * 2)]);
      const auto y = numbers_in<T>(lanes(2 * t + i % 2, k % 4)[static_cast<std::size_t>(4 + k / 4)]);
      for (std::size_t e = 0; e < x.size(); ++e) d[i] += x[e] * y[e];
    }
  }
}

template <bool transposed, class T>
FourWords load_matrices(const T* line) {
  const auto [g, t] = testing::this_lane().place();
  const auto lanes = testing::this_lane().exchange(std::array{static_cast<const void*>(line)});
  FourWords words;
  for (int m = 0; m < 4; ++m) {
    const auto line_of = [&](int i) {
      return static_cast<const char*>(lanes.of(static_cast<std::size_t>(8 * m + i))[0]);
    };
    if constexpr (transposed) {
      std::array<char, 4> both;
      std::memcpy(both.data(), line_of(2 * t) + 2 * g, 2);
      std::memcpy(both.data() + 2, line_of(2 * t + 1) + 2 * g, 2);
      std::memcpy(&words.x[m], both.data(), 4);
    } else {
      std::memcpy(&words.x[m], line_of(g) + 4 * t, 4);
    }
  }
  return words;
}

inline float of_neighbour(float x) {
  const auto [g, t] = testing::this_lane().place();
  return testing::this_lane().exchange(std::array{x})(g, t ^ 1)[0];
}

template <class T>
Word rounded_pair(float first, float second) {
  return T(first).bits | Word{T(second).bits} << 16;
}

}  // namespace rooftile::detail
