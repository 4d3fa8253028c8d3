// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "cpu/interleaved.hpp"
#include "cpu/pack.hpp"

/// Packing of complex numbers without conjugation. The micro-kernel conjugates where needed.
namespace rooftile::portable {

/// Copies at most `width` rows of X, from row0 on, to `out` (K,width), number by number.
template <int width, class R>
inline void pack_single_numbers(const MatrixRef<const complex<R>>& X, Index row0, Index k0, complex<R>* out) {
  const MatrixRef<const complex<R>> own = X;  // a copy, which stores to `out` cannot alias
  const Index rows = std::min<Index>(width, own.rows - row0);
  for (Index k = k0; k < own.cols; ++k) {
    for (Index i = 0; i < width; ++i) out[k * width + i] = i < rows ? own(row0 + i, k) : complex<R>(0);
  }
}

/// Packs one micropanel: `width` rows of X (rows,K), from row0 on, to `out` (K,width). Transposes squares of
/// numbers as `transpose_rows` does. May write `pack_slack` elements past the end.
template <int width, class R>
inline void pack_micropanel(const MatrixRef<const complex<R>>& X, Index row0, complex<R>* out) {
  using I = Interleaved<Simd<R>, R>;
  constexpr int side = I::numbers;
  if (X.row_stride == 1 && row0 + width <= X.rows) {
    for (Index k = 0; k < X.cols; ++k) {
      std::memcpy(static_cast<void*>(out + k * width), &X(row0, k), width * sizeof(complex<R>));
    }
    return;
  }
  if (X.col_stride != 1) return pack_single_numbers<width>(X, row0, 0, out);
  const Index rows = std::min<Index>(width, X.rows - row0), whole = X.cols / side * side;
  const complex<R>* const first = &X(row0, 0);
  const Index stride = X.row_stride;
  for (int i0 = (width - 1) / side * side; i0 >= 0; i0 -= side) {
    for (Index k = 0; k < whole; k += side) {
      typename I::Vector x[side];
      for (int i = 0; i < side; ++i) {
        x[i] = i0 + i < rows ? I::load(first + (i0 + i) * stride + k) : typename I::Vector{};
      }
      transpose<Simd<R>, 2>(x);
      for (int l = 0; l < side; ++l) I::store(out + (k + l) * width + i0, x[l]);
    }
  }
  pack_single_numbers<width>(X, row0, whole, out);
}

/// Copies X to memory in row-major order, `ld` numbers from one row to the next. Transposes squares where the
/// columns of X are contiguous.
template <class R>
inline void copy_numbers_by_rows(const MatrixRef<const complex<R>>& X, complex<R>* memory, Index ld) {
  using I = Interleaved<Simd<R>, R>;
  constexpr Index side = I::numbers;
  const MatrixRef<const complex<R>> own = X;  // a copy, which stores to `memory` cannot alias
  if (own.row_stride != 1 || std::min(own.rows, own.cols) < side) {
    for (Index i = 0; i < own.rows; ++i) {
      for (Index j = 0; j < own.cols; ++j) memory[i * ld + j] = own(i, j);
    }
    return;
  }
  for (Index i0 = 0; i0 < own.rows; i0 += side) {
    const Index i = std::min(i0, own.rows - side);  // the last squares overlap the previous ones
    for (Index j0 = 0; j0 < own.cols; j0 += side) {
      const Index j = std::min(j0, own.cols - side);
      typename I::Vector x[side];
      for (Index l = 0; l < side; ++l) x[l] = I::load(&own(i, j + l));
      transpose<Simd<R>, 2>(x);
      for (Index l = 0; l < side; ++l) I::store(memory + (i + l) * ld + j, x[l]);
    }
  }
}

}  // namespace rooftile::portable
