// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"
#include "rooftile/detail/gpu/mma.hpp"
#include "rooftile/detail/gpu/panel.hpp"

/// From panels in shared memory to the registers of a warp that multiplies them.
namespace rooftile::detail {

/// What a lane holds of a (16·FM,k) and b (k,8·FN) for 32 bytes of k; of b, two columns of fragments together.
template <class T, int FM, int FN>
struct Fragments {
  FourWords a[FM];
  FourWords b[FN / 2];
};
template <int FM, int FN>
struct Fragments<double, FM, FN> {
  double a[FM][2];
  double b[FN];
};

/// Four neighbouring matrices, 8 of x by 16 bytes of k, from (k,x) on: of lane 4g+t the words (t,g) of each, or
/// what the nearest tf32 is to them. The second one lies beside the first along k or along x, the third along the
/// other.
template <bool k_first, class T, class Panel>
ROOFTILE_FUNCTION FourWords load_four(const Panel& panel, int g, int t, int k, int x) {
  constexpr int width = 16 / sizeof(T);
  constexpr bool k_major = Panel::major == Major::k;
  FourWords words;
  if constexpr (k_major || sizeof(T) == 2) {
    const int lane = 4 * g + t, line = lane % 8, second = lane / 8 % 2, third = lane / 16;
    const int k_next = 8 * (k_first ? second : third), x_next = 8 * (k_first ? third : second);
    const T* const lines = k_major ? panel.at(k_next * width / 8, line + x_next) : panel.at(line + k_next, x_next);
    words = load_matrices<!k_major>(lines + Panel::offset(k, x));
  } else {
    const T* const first = panel.at(t, g) + Panel::offset(k, x);
    ROOFTILE_UNROLL_ALL
    for (int m = 0; m < 4; ++m) {
      const int k_next = k_first ? m % 2 : m / 2, x_next = k_first ? m / 2 : m % 2;
      words.x[m] = bits_as<Word>(first[Panel::offset(k_next * width, x_next * 8)]);
    }
  }
  if constexpr (sizeof(T) == 4) {
    ROOFTILE_UNROLL_ALL
    for (Word& word : words.x) word = rounded_to_tf32(word);
  }
  return words;
}

/// Reads a's fragments (16·FM) from row `row` and k on.
template <class T, int FM, int FN, class Panel>
ROOFTILE_FUNCTION void load_a(Fragments<T, FM, FN>& f, const Panel& a, int g, int t, int k, int row) {
  ROOFTILE_UNROLL_ALL
  for (int i = 0; i < FM; ++i) f.a[i] = load_four<false, T>(a, g, t, k, row + 16 * i);
}

/// The same of b's from column `col` and k on.
template <class T, int FM, int FN, class Panel>
ROOFTILE_FUNCTION void load_b(Fragments<T, FM, FN>& f, const Panel& b, int g, int t, int k, int col) {
  ROOFTILE_UNROLL_ALL
  for (int j = 0; j < FN / 2; ++j) f.b[j] = load_four<true, T>(b, g, t, k, col + 16 * j);
}

template <int FM, int FN, class Panel>
ROOFTILE_FUNCTION void load_a(Fragments<double, FM, FN>& f, const Panel& a, int g, int t, int k, int row) {
  const double* const a0 = a.at(k + t, row + g);
  ROOFTILE_UNROLL_ALL
  for (int i = 0; i < FM; ++i) {
    f.a[i][0] = a0[a.offset(0, 16 * i)];
    f.a[i][1] = a0[a.offset(0, 16 * i + 8)];
  }
}
template <int FM, int FN, class Panel>
ROOFTILE_FUNCTION void load_b(Fragments<double, FM, FN>& f, const Panel& b, int g, int t, int k, int col) {
  const double* const b0 = b.at(k + t, col + g);
  ROOFTILE_UNROLL_ALL
  for (int j = 0; j < FN; ++j) f.b[j] = b0[b.offset(0, 8 * j)];
}

}  // namespace rooftile::detail
