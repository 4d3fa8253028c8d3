// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>

#include "cpu/narrow.hpp"
#include "cpu/simd.hpp"
#include "rooftile/matrix.hpp"

/// Packing: reads operands with any strides, and writes micropanels in the accumulator type, which the
/// micro-kernel reads contiguously.
namespace rooftile::portable {

/// Exchanges blocks of d×d elements across the diagonal of pairs of rows: one step of Eklundh's transposition
/// (IEEE Trans. Comput. C-21, 1972). @tparam unit  lanes of an element
template <int d, class V, int unit, int... l>
inline void exchange(typename V::Vector (&x)[V::lanes / unit], std::integer_sequence<int, l...>) {
  constexpr int e = d * unit;
  for (int i = 0; i < V::lanes / unit; ++i) {
    if ((i & d) != 0) continue;
    const auto upper = x[i], lower = x[i + d];
    x[i] = __builtin_shufflevector(upper, lower, ((l & e) == 0 ? l : V::lanes + l - e)...);
    x[i + d] = __builtin_shufflevector(upper, lower, ((l & e) == 0 ? l + e : V::lanes + l)...);
  }
}

/// Transposes a square with as many rows as a vector has elements.
template <class V, int unit = 1, int d = V::lanes / unit / 2>
inline void transpose(typename V::Vector (&x)[V::lanes / unit]) {
  if constexpr (d > 0) {
    exchange<d, V, unit>(x, typename V::Lanes());
    transpose<V, unit, d / 2>(x);
  }
}

/// Copies `count` contiguous elements.
template <int count, class E, class T>
[[gnu::always_inline]] inline void copy_wide(const E* from, T* to) {
  if constexpr (std::is_same_v<E, T>) {
    std::memcpy(to, from, count * sizeof(T));
  } else if constexpr (count == 1) {
    *to = *from;
  } else if constexpr (count > 0) {
    using V = Simd<T, std::min(Simd<T>::lanes, static_cast<int>(std::bit_floor(unsigned{count})))>;
    V::store(to, load_wide<V>(from));
    copy_wide<count - V::lanes>(from + V::lanes, to + V::lanes);
  }
}

/// Copies X, whose columns are contiguous, to `out` in row-major order, in squares as wide as a vector. The
/// last squares overlap the previous ones.
/// @pre X has at least as many rows and columns as a vector has lanes
/// @param ld  elements from one row of `out` to the next
template <class V, class E, class T>
inline void copy_in_squares(const MatrixRef<const E>& X, T* out, Index ld) {
  constexpr Index lanes = V::lanes;
  for (Index i0 = 0; i0 < X.rows; i0 += lanes) {
    const Index i = std::min(i0, X.rows - lanes);
    for (Index j0 = 0; j0 < X.cols; j0 += lanes) {
      const Index j = std::min(j0, X.cols - lanes);
      typename V::Vector x[lanes];
      for (int l = 0; l < lanes; ++l) x[l] = load_wide<V>(&X(i, j + l));
      transpose<V>(x);
      for (int l = 0; l < lanes; ++l) V::store(out + (i + l) * ld + j, x[l]);
    }
  }
}

/// Copies at most `width` rows of X, from row0 on, to `out` (K,width), element by element.
template <int width, class E, class T>
inline void pack_elements(const MatrixRef<const E>& X, Index row0, Index k0, T* out) {
  const Index rows = std::min<Index>(width, X.rows - row0);
  for (Index k = k0; k < X.cols; ++k) {
    for (Index i = 0; i < width; ++i) out[k * width + i] = i < rows ? static_cast<T>(X(row0 + i, k)) : T(0);
  }
}

/// Transposes at most `width` rows, read as vectors `load(i, k)` along K, to `out` (steps,width) in squares.
/// The last rows come first, because their vector may overlap the next step, or `pack_slack`.
/// @pre steps are a multiple of the lanes
template <int width, class T, class Load>
inline void transpose_rows(Index rows, Index steps, const Load& load, T* out) {
  constexpr int lanes = Simd<T>::lanes;
  for (int i0 = (width - 1) / lanes * lanes; i0 >= 0; i0 -= lanes) {
    for (Index k = 0; k < steps; k += lanes) {
      typename Simd<T>::Vector x[lanes];
      for (int i = 0; i < lanes; ++i) {
        x[i] = i0 + i < std::min<Index>(width, rows) ? load(i0 + i, k) : typename Simd<T>::Vector{};
      }
      transpose<Simd<T>>(x);
      for (int i = 0; i < lanes; ++i) Simd<T>::store(out + (k + i) * width + i0, x[i]);
    }
  }
}

/// Packs rows that are contiguous along K.
template <int width, class E, class T>
inline void pack_transposed(const MatrixRef<const E>& X, Index row0, T* out) {
  const Index whole = X.cols / Simd<T>::lanes * Simd<T>::lanes;
  const auto load = [&](Index i, Index k) { return load_wide<Simd<T>>(&X(row0 + i, k)); };
  transpose_rows<width>(X.rows - row0, whole, load, out);
  pack_elements<width>(X, row0, whole, out);
}

/// Packs one micropanel: `width` rows of X (rows,K), from row0 on, to `out` (K,width).
template <int width, class E, class T>
inline void pack_micropanel(const MatrixRef<const E>& X, Index row0, T* out) {
  if (X.row_stride == 1 && row0 + width <= X.rows) {
    for (Index k = 0; k < X.cols; ++k) copy_wide<width>(&X(row0, k), out + k * width);
  } else if (X.col_stride == 1) {
    pack_transposed<width>(X, row0, out);
  } else {
    pack_elements<width>(X, row0, 0, out);
  }
}

/// Packs one micropanel (pairs along K, width). An odd K and missing rows are padded with zeros.
/// @param pair  makes a pair of two elements
/// @param load  loads a vector of pairs whose elements are contiguous along K
template <int width, class E, class T, class Pair, class Load>
inline void pack_micropanel_of_pairs(const MatrixRef<const E>& X, Index row0, const Pair& pair,
                                     const Load& load, T* out) {
  const Index rows = std::min<Index>(width, X.rows - row0), whole = X.cols / 2 * 2;
  const auto pack_single_pairs = [&](Index k0) {
    for (Index k = k0; k < X.cols; k += 2) {
      for (Index i = 0; i < width; ++i) {
        const bool is_there = i < rows;
        const E first = is_there ? X(row0 + i, k) : E{};
        const E second = is_there && k + 1 < X.cols ? X(row0 + i, k + 1) : E{};
        out[k / 2 * width + i] = pair(first, second);
      }
    }
  };
  if (X.row_stride == 1 && rows == width) {
    for (Index k = 0; k < whole; k += 2) {
      const E *const first = &X(row0, k), *const second = &X(row0, k + 1);
      T pairs[width];
      for (int i = 0; i < width; ++i) pairs[i] = pair(first[i], second[i]);
      std::memcpy(out + k / 2 * width, pairs, sizeof pairs);
    }
    pack_single_pairs(whole);
  } else if (X.col_stride == 1) {
    const Index steps = X.cols / 2 / Simd<T>::lanes * Simd<T>::lanes;
    const auto load_at = [&](Index i, Index k) { return load(&X(row0 + i, 2 * k)); };
    transpose_rows<width>(X.rows - row0, steps, load_at, out);
    pack_single_pairs(2 * steps);
  } else {
    pack_single_pairs(0);
  }
}

}  // namespace rooftile::portable
