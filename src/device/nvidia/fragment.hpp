// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device/common/vector.hpp"
#include "device/nvidia/lines.hpp"
#include "device/nvidia/mma.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/types.hpp"

/// Loads panels from shared memory into the registers of the warp that multiplies them.
namespace rooftile::detail {

/// A lane's values of a (16·FM,k) and b (k,8·FN) for 32 bytes of k. Each element of `b` covers two columns of
/// fragments.
template <class T, int FM, int FN>
struct Fragments {
  FourWords a[FM];
  FourWords b[FN / 2];
};
template <class T, int FM, int FN>
requires std::is_same_v < Real<T>,
double > struct Fragments<T, FM, FN> {
  T a[FM][4];
  T b[FN][2];
};

/// Complex numbers in fp32, eight k: (g,t), (g+8,t), (g,t+4), (g+8,t+4) of a and (t,g), (t+4,g) of b.
template <int FM, int FN>
struct Fragments<complex<float>, FM, FN> {
  complex<float> a[FM][4];
  complex<float> b[FN][2];
};

/// A panel whose lines begin some elements after a multiple of 16 bytes.
template <class Panel_>
struct ShiftedPanel : Panel_ {
  Shifts shifts;
};
template <class Panel>
inline constexpr bool is_shifted = false;
template <class Panel>
inline constexpr bool is_shifted<ShiftedPanel<Panel>> = true;

/// Returns the word with elements (k,x) and (k+1,x) of 16 bits, or with element (k,x) of tf32, of a panel
/// with shifts.
template <class T, class Panel>
ROOFTILE_FUNCTION Word load_word(const ShiftedPanel<Panel>& panel, int k, int x) {
  const T* const at = panel.at(k, x) + panel.shifts.first;
  if constexpr (std::is_same_v<T, float>) {
    return bits_as<Word>(*at);
  } else if constexpr (Panel::major == Major::k) {
    const bool odd = panel.shifts.first % 2 != 0;
    const Word* const words = reinterpret_cast<const Word*>(at - (odd ? 1 : 0));
    return static_cast<Word>((std::uint64_t{words[1]} << 32 | words[0]) >> (odd ? 16 : 0));
  } else {
    return at->bits | Word{panel.at(k + 1, x)[panel.shifts.second].bits} << 16;
  }
}

/// Loads four neighbouring matrices, 8 of x by 16 bytes of k, from (k,x) on. Lane 4g+t gets word (t,g) of
/// each. The second matrix lies beside the first along k if `k_first`, otherwise along x; the third lies
/// along the other dimension.
template <bool k_first, class T, class Panel>
ROOFTILE_FUNCTION FourWords load_four(const Panel& panel, int g, int t, int k, int x) {
  constexpr int half = 16 / sizeof(T);
  constexpr bool k_major = Panel::major == Major::k;
  FourWords words;
  if constexpr (!is_shifted<Panel> && (k_major || Element16<T>)) {
    const int lane = 4 * g + t, line = lane % 8, second = lane / 8 % 2, third = lane / 16;
    const int k_next = k_first ? second : third, x_next = 8 * (k_first ? third : second);
    const T* const lines =
        k_major ? panel.at(k_next * half, line + x_next) : panel.at(line + k_next * half, x_next);
    words = load_matrices<!k_major>(lines + Panel::offset(k, x));
  } else {
    ROOFTILE_UNROLL_ALL
    for (int m = 0; m < 4; ++m) {
      const int k_next = half * (k_first ? m % 2 : m / 2), x_next = 8 * (k_first ? m / 2 : m % 2);
      if constexpr (is_shifted<Panel>) {
        words.x[m] = load_word<T>(panel, k + k_next + t * half / 4, x + x_next + g);
      } else {
        words.x[m] = bits_as<Word>(*(panel.at(t, g) + Panel::offset(k + k_next, x + x_next)));
      }
    }
  }
  if constexpr (std::is_same_v<T, float>) {
    ROOFTILE_UNROLL_ALL
    for (Word& word : words.x) word = rounded_to_tf32(word);
  }
  return words;
}

/// Loads both parts of a complex number at once.
template <class T>
ROOFTILE_FUNCTION T together(const T* element) {
  return reinterpret_cast<const Vector<T, 1>*>(element)->value[0];
}

/// Reads a's fragments, 16·FM rows from row `row` and k on.
template <class T, int FM, int FN, class Panel>
ROOFTILE_FUNCTION void load_a(Fragments<T, FM, FN>& f, const Panel& a, int g, int t, int k, int row) {
  ROOFTILE_UNROLL_ALL
  for (int i = 0; i < FM; ++i) f.a[i] = load_four<false, T>(a, g, t, k, row + 16 * i);
}

/// Reads b's fragments, 8·FN columns from column `col` and k on.
template <class T, int FM, int FN, class Panel>
ROOFTILE_FUNCTION void load_b(Fragments<T, FM, FN>& f, const Panel& b, int g, int t, int k, int col) {
  ROOFTILE_UNROLL_ALL
  for (int j = 0; j < FN / 2; ++j) f.b[j] = load_four<true, T>(b, g, t, k, col + 16 * j);
}

/// Returns which of eight neighbouring lines is line g of a fragment, or of a sum's rows and columns. Eight
/// complex numbers in fp64 fill 128 bytes, so that eight lanes read together. Their two lines are four apart,
/// and pads then keep them in different banks (`panel_pad`). A line of a and of b is a row and a column of C,
/// so only the store needs the mapping. @return linear in g: the line of 2·t + e is that of 2·t plus that of
/// e
template <class T>
ROOFTILE_FUNCTION constexpr int line_of_fragment(int g) {
  return std::is_same_v<T, complex<double>> ? g / 2 + g % 2 * 4 : g;
}

/// Reads fragments in fp64 for eight k: single elements, and complex numbers with both parts in one load.
template <class T, int FM, int FN, class Panel>
requires std::is_same_v < Real<T>,
double >
    ROOFTILE_FUNCTION void load_a(Fragments<T, FM, FN>& f, const Panel& a, int g, int t, int k, int row) {
  const auto* const a0 = reinterpret_cast<const Vector<T, 1>*>(a.at(k + t, row + line_of_fragment<T>(g)));
  ROOFTILE_UNROLL_ALL
  for (int i = 0; i < FM; ++i) {
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < 4; ++e) f.a[i][e] = a0[a.offset(e / 2 * 4, 16 * i + e % 2 * 8)].value[0];
  }
}
template <class T, int FM, int FN, class Panel>
requires std::is_same_v < Real<T>,
double >
    ROOFTILE_FUNCTION void load_b(Fragments<T, FM, FN>& f, const Panel& b, int g, int t, int k, int col) {
  const auto* const b0 = reinterpret_cast<const Vector<T, 1>*>(b.at(k + t, col + line_of_fragment<T>(g)));
  ROOFTILE_UNROLL_ALL
  for (int j = 0; j < FN; ++j) {
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < 2; ++e) f.b[j][e] = b0[b.offset(e * 4, 8 * j)].value[0];
  }
}

/// Rounds each part to the nearest tf32.
ROOFTILE_FUNCTION complex<float> rounded_to_tf32(complex<float> z) {
  return {bits_as<float>(rounded_to_tf32(bits_as<Word>(z.re))),
          bits_as<float>(rounded_to_tf32(bits_as<Word>(z.im)))};
}

/// Reads fragments of complex numbers in fp32 for eight k.
template <int FM, int FN, class Panel>
ROOFTILE_FUNCTION void load_a(Fragments<complex<float>, FM, FN>& f, const Panel& a, int g, int t, int k,
                              int row) {
  const complex<float>* const a0 = a.at(k + t, row + g);
  ROOFTILE_UNROLL_ALL
  for (int i = 0; i < FM; ++i) {
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < 4; ++e)
      f.a[i][e] = rounded_to_tf32(together(a0 + a.offset(e / 2 * 4, 16 * i + e % 2 * 8)));
  }
}
template <int FM, int FN, class Panel>
ROOFTILE_FUNCTION void load_b(Fragments<complex<float>, FM, FN>& f, const Panel& b, int g, int t, int k,
                              int col) {
  const complex<float>* const b0 = b.at(k + t, col + g);
  ROOFTILE_UNROLL_ALL
  for (int j = 0; j < FN; ++j) {
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < 2; ++e) f.b[j][e] = rounded_to_tf32(together(b0 + b.offset(e * 4, 8 * j)));
  }
}

}  // namespace rooftile::detail
