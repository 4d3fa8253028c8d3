// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/epilogue.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// A warp's part of a tile of C, multiplied by the tensor cores.
namespace rooftile::detail {

/// d (16,8) += a (16,4)·b (4,8) by a warp. Lane 4g+t holds a's (g,t) and (g+8,t), b's (t,g), and d's (g,2t),
/// (g,2t+1), (g+8,2t), (g+8,2t+1): PTX ISA, mma.m16n8k4 with .f64. Before compute capability 9.0 it is two of
/// m8n8k4, which later runs at half the rate; deeper ones need more registers than their speed is worth.
ROOFTILE_FUNCTION void mma([[maybe_unused]] double (&d)[4], [[maybe_unused]] const double (&a)[2],
                           [[maybe_unused]] double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  ROOFTILE_UNROLL_ALL
  for (int half = 0; half < 2; ++half) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d[2 * half]), "+d"(d[2 * half + 1])
        : "d"(a[half]), "d"(b));
  }
#endif
}

/// Where a warp's (4·TM,8·TN) elements begin in a tile, and the lane's g and t.
template <class Tile>
struct MmaPlace {
  static constexpr int rows = 4 * Tile::tm(), cols = 8 * Tile::tn();
  static constexpr int warps_x = Tile::bn() / cols;

  int row, col, g, t;

  ROOFTILE_FUNCTION explicit MmaPlace(int rank)
      : row(rank / 32 / warps_x * rows), col(rank / 32 % warps_x * cols), g(rank % 32 / 4), t(rank % 4) {}
};

/// A warp's elements of C, as fragments of (16,8).
template <class T, class Tile>
struct MmaTile {
  static constexpr int k_step = 4;
  static constexpr int FM = MmaPlace<Tile>::rows / 16, FN = MmaPlace<Tile>::cols / 8;
  static_assert(MmaPlace<Tile>::rows % 16 == 0, "fragments divide a warp's rows");

  /// What the lane holds of a (16·FM,4) and b (4,8·FN).
  struct Fragments {
    T a[FM][2];
    T b[FN];
  };

  MmaPlace<Tile> place;
  T value[FM][FN][4] = {};

  ROOFTILE_FUNCTION explicit MmaTile(int rank) : place(rank) {}

  template <class PanelA, class PanelB>
  ROOFTILE_FUNCTION void load(Fragments& f, const PanelA& a, const PanelB& b, int k) const {
    const T* const a0 = a.at(k + place.t, place.row + place.g);
    const T* const b0 = b.at(k + place.t, place.col + place.g);
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < FM; ++i) {
      f.a[i][0] = a0[a.offset(0, 16 * i)];
      f.a[i][1] = a0[a.offset(0, 16 * i + 8)];
    }
    ROOFTILE_UNROLL_ALL
    for (int j = 0; j < FN; ++j) f.b[j] = b0[b.offset(0, 8 * j)];
  }

  ROOFTILE_FUNCTION void multiply_add(const Fragments& f) {
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < FM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < FN; ++j) mma(value[i][j], f.a[i], f.b[j]);
    }
  }

  /// C = alpha·value + beta·C for the tile at (row0,col0), skipping what lies outside C.
  /// @param rank  of the thread, again: what follows from it need not stay in registers during the product
  ROOFTILE_FUNCTION void store(const MatrixRef<T>& C, Index row0, Index col0, int rank, T alpha,
                               T beta) const {
    const MmaPlace<Tile> at(rank);
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < FM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < FN; ++j) {
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < 4; ++e) {
          const Index y = row0 + at.row + at.g + 16 * i + e / 2 * 8;
          const Index x = col0 + at.col + 2 * at.t + 8 * j + e % 2;
          if (y < C.rows && x < C.cols) update(C(y, x), alpha, value[i][j][e], beta);
        }
      }
    }
  }
};

}  // namespace rooftile::detail
