// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/amd/mfma_tile.hpp"
#include "rooftile/problem.hpp"

/// A tile of C that one wave of a user's team computes with matrix instructions. Operands stay in place.
namespace rooftile::detail {

/// A tile of (ROWS,COLS) elements of C. @tparam T  float, double or a 16-bit type
template <class T, int ROWS, int COLS>
struct WaveTile {
  using E = In<T>;
  using Operand = typename Mfma<E>::Operand;
  static constexpr int threads = 64, rows = ROWS, cols = COLS;
  static constexpr int FM = ROWS / 16, FN = COLS / 16, along_k = Mfma<E>::along_k;

  int ty, tx, g, i;
  typename Mfma<E>::Sums sums[FM][FN] = {};

  ROOFTILE_FUNCTION WaveTile(const MatrixRef<const E>&, const MatrixRef<const E>&, int lane, int ty_, int tx_,
                             int /*tiles_y*/, int /*tiles_x*/)
      : ty(ty_), tx(tx_), g(lane / 16), i(lane % 16) {}

  /// Adds A·B to the accumulators.
  ROOFTILE_FUNCTION void add(const MatrixRef<const E>& A, const MatrixRef<const E>& given_b) {
    const MatrixRef<const E> B = given_b.transposed();
    for (Index k = along_k * g; k - along_k * g < A.cols; k += 4 * along_k) {
      Operand a[FM], b[FN];
      ROOFTILE_UNROLL_ALL
      for (int m = 0; m < FM; ++m) a[m] = operand(A, ty * ROWS + 16 * m + i, k);
      ROOFTILE_UNROLL_ALL
      for (int n = 0; n < FN; ++n) b[n] = operand(B, tx * COLS + 16 * n + i, k);
      ROOFTILE_UNROLL_ALL
      for (int m = 0; m < FM; ++m) {
        ROOFTILE_UNROLL_ALL
        for (int n = 0; n < FN; ++n) Mfma<E>::multiply_add(sums[m][n], a[m], b[n]);
      }
    }
  }

  /// Stores C = alpha·sums + beta·C.
  ROOFTILE_FUNCTION void store(const GemmArgs<T>& args) const {
    const MatrixRef<Out<T>>& C = args.C;
    ROOFTILE_UNROLL_ALL
    for (int m = 0; m < FM; ++m) {
      ROOFTILE_UNROLL_ALL
      for (int r = 0; r < 4; ++r) {
        const Index y = ty * ROWS + 16 * m + Mfma<E>::row(g, r);
        ROOFTILE_UNROLL_ALL
        for (int n = 0; n < FN; ++n) {
          const Index x = tx * COLS + 16 * n + i;
          const Scalar<T> sum = sums[m][n][r];
          if (y < C.rows && x < C.cols) update(C(y, x), args.alpha, sum, args.beta);
        }
      }
    }
  }

 private:
  /// Loads `along_k` elements from k on of line x of an operand (X,K). Elements beyond K are 0.
  ROOFTILE_FUNCTION static Operand operand(const MatrixRef<const E>& X, Index x, Index k) {
    const E* const line = X.data + (x < X.rows ? x : X.rows - 1) * X.row_stride;
    if constexpr (along_k == 1) {
      return k < X.cols ? line[k * X.col_stride] : E(0);
    } else {
      Operand all;
      ROOFTILE_UNROLL_ALL
      for (int e = 0; e < along_k; ++e)
        all[e] = k + e < X.cols ? bits_as<short>(line[(k + e) * X.col_stride]) : short{0};
      return all;
    }
  }
};

}  // namespace rooftile::detail
