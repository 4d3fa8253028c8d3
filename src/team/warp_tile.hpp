// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/tile.hpp"
#include "device/nvidia/mma_tile.hpp"
#include "rooftile/problem.hpp"

/// A tile of C that one warp of a user's team computes with matrix instructions. Operands stay in place.
namespace rooftile::detail {

/// The lines of an operand X (X,K), A or the transpose of B, that a lane loads: one for each of `count`
/// groups of 8 lines.
template <class T, int count>
struct WarpLines {
  MatrixRef<const T> X;
  const T* line[count];  ///< line of group i, at k = 0
  bool reads_words;      ///< 16-bit elements: each pair along K is an aligned word

  /// @param g  index of the lane's line in a group
  ROOFTILE_FUNCTION WarpLines(const MatrixRef<const T>& operand, int x0, int g) : X(operand) {
    const Index last = X.rows - 1;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < count; ++i) {
      const Index x = x0 + 8 * i + line_of_fragment<T>(g);
      line[i] = X.data + (x < last ? x : last) * X.row_stride;  // clamped: C has no row or column there
    }
    reads_words = X.col_stride == 1 && X.row_stride % 2 == 0 &&
                  reinterpret_cast<std::uintptr_t>(X.data) % sizeof(Word) == 0;
  }

  /// Returns element k of group i. Beyond K it returns 0, which only a partial step (`whole` = false) reads.
  template <bool whole>
  ROOFTILE_FUNCTION T element(int i, Index k) const {
    if (!whole && k >= X.cols) return T(0);
    return X.read(together(line[i] + k * X.col_stride));
  }

  /// Returns a word of the fragment: element k rounded to tf32, or the 16-bit elements k and k + 1.
  template <bool whole>
  ROOFTILE_FUNCTION Word word(int i, Index k) const {
    if constexpr (std::is_same_v<T, float>) {
      return rounded_to_tf32(bits_as<Word>(element<whole>(i, k)));
    } else {
      if (whole && reads_words) return *reinterpret_cast<const Word*>(line[i] + k);
      return element<whole>(i, k).bits | Word{element<whole>(i, k + 1).bits} << 16;
    }
  }
};

/// A tile of (ROWS,COLS) elements of C. @tparam T  double, complex<double>, float (tf32) or a 16-bit type
template <class T, int ROWS, int COLS>
struct WarpTile {
  using E = In<T>;
  using Shape = Tile<TileShape{ROWS, COLS, 8, ROWS / 4, COLS / 8}>;
  using Mma = MmaTile<E, Shape>;
  static constexpr int threads = 32, rows = ROWS, cols = COLS;
  static constexpr bool has_words = sizeof(Real<E>) < 8;

  int ty, tx, g, t;
  Mma tile;

  ROOFTILE_FUNCTION WarpTile(const MatrixRef<const E>&, const MatrixRef<const E>&, int lane, int ty_, int tx_,
                             int /*tiles_y*/, int /*tiles_x*/)
      : ty(ty_), tx(tx_), g(lane / 4), t(lane % 4), tile(lane) {}

  /// Adds A·B to the accumulators.
  ROOFTILE_FUNCTION void add(const MatrixRef<const E>& A, const MatrixRef<const E>& B) {
    const WarpLines<E, 2 * Mma::FM> a(A, ty * ROWS, g);
    const WarpLines<E, Mma::FN> b(B.transposed(), tx * COLS, g);
    typename Mma::Fragments f;
    Index k = 0;
    ROOFTILE_UNROLL(2)
    for (; k + Mma::k_step <= A.cols; k += Mma::k_step) {
      load<true>(f, a, b, k, t);
      tile.multiply_add(f);
    }
    if (k < A.cols) {
      load<false>(f, a, b, k, t);
      tile.multiply_add(f);
    }
  }

  /// Stores C = alpha·sums + beta·C.
  ROOFTILE_FUNCTION void store(const GemmArgs<T>& args) const {
    tile.store(args.C, ty * ROWS, tx * COLS, 4 * g + t, args.alpha, args.beta);
  }

 private:
  template <bool whole, class LinesA, class LinesB>
  ROOFTILE_FUNCTION static void load(typename Mma::Fragments& f, const LinesA& a, const LinesB& b, Index k,
                                     int t) {
    constexpr int half = Mma::k_step / 2, step = has_words ? half / 4 : 1;  // between a lane's elements
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < Mma::FM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int e = 0; e < 4; ++e) {
        const Index at = k + e / 2 * half + t * step;
        if constexpr (has_words) {
          f.a[i].x[e] = a.template word<whole>(2 * i + e % 2, at);
        } else {
          f.a[i][e] = a.template element<whole>(2 * i + e % 2, at);
        }
      }
    }
    ROOFTILE_UNROLL_ALL
    for (int j = 0; j < Mma::FN; ++j) {
      ROOFTILE_UNROLL_ALL
      for (int e = 0; e < 2; ++e) {
        const Index at = k + e * half + t * step;
        if constexpr (has_words) {
          f.b[j / 2].x[j % 2 * 2 + e] = b.template word<whole>(j, at);
        } else {
          f.b[j][e] = b.template element<whole>(j, at);
        }
      }
    }
  }
};

}  // namespace rooftile::detail
