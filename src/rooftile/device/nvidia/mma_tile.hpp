// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "rooftile/detail/epilogue.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/device/common/vector.hpp"
#include "rooftile/device/nvidia/fragment.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

/// A warp's part of a tile of C, multiplied by the tensor cores.
namespace rooftile::detail {

/// Where a warp's (4·TM,8·TN) elements begin in a tile, and the lane's g and t.
template <class Tile>
struct MmaPlace {
  static constexpr int rows = 4 * Tile::tm(), cols = 8 * Tile::tn();
  static constexpr int warps_x = Tile::bn() / cols;

  int row, col, g, t;

  ROOFTILE_FUNCTION explicit MmaPlace(int rank)
      : row(rank / 32 / warps_x * rows), col(rank / 32 % warps_x * cols), g(rank % 32 / 4), t(rank % 4) {}
};

/// A warp's elements of C, as fragments of (16,8), summed in fp64 or fp32.
template <class T, class Tile>
struct MmaTile {
  using Sum = Scalar<T>;
  static constexpr int k_step = 32 / sizeof(T);
  static constexpr int FM = MmaPlace<Tile>::rows / 16, FN = MmaPlace<Tile>::cols / 8;
  static_assert(MmaPlace<Tile>::rows % 16 == 0 && FN % 2 == 0, "fragments divide a warp's elements");
  using Fragments = detail::Fragments<T, FM, FN>;

  MmaPlace<Tile> place;
  Sum value[FM][FN][4] = {};

  ROOFTILE_FUNCTION explicit MmaTile(int rank) : place(rank) {}

  template <class PanelA, class PanelB>
  ROOFTILE_FUNCTION void load(Fragments& f, const PanelA& a, const PanelB& b, int k) const {
    load_a(f, a, place.g, place.t, k, place.row);
    load_b(f, b, place.g, place.t, k, place.col);
  }

  ROOFTILE_FUNCTION void multiply_add(const Fragments& f) {
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < FM; ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < FN; ++j) {
        if constexpr (std::is_same_v<T, double>) {
          mma(value[i][j], f.a[i], f.b[j]);
        } else {
          mma<T>(value[i][j], f.a[i].x, f.b[j / 2].x[j % 2 * 2], f.b[j / 2].x[j % 2 * 2 + 1]);
        }
      }
    }
  }

  /// C = alpha·value + beta·C for the tile at (row0,col0), skipping what lies outside C.
  /// @tparam U    T, or Sum where C is a matrix of sums
  /// @param rank  of the thread, again: what follows from it need not stay in registers during the product
  template <class U>
  ROOFTILE_FUNCTION void store(const MatrixRef<U>& C, Index row0, Index col0, int rank, Sum alpha,
                               Sum beta) const {
    constexpr int stored = stored_together<U>;
    const MmaPlace<Tile> at(rank);
    // Of rows of C that are multiples of 8 bytes, in fp64 of 16, lanes store as much at once, four of them
    // side by side: whole sectors of L2.
    const bool vectors = C.col_stride == 1 && C.row_stride % stored == 0 && C.cols % stored == 0 &&
                         reinterpret_cast<std::uintptr_t>(C.data) % (stored * sizeof(U)) == 0;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < 2 * FM; ++i) {
      const Index y = row0 + at.row + at.g + 8 * i;
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < FN; ++j) {
        const Sum* const sums = &value[i / 2][j][i % 2 * 2];
        const Index x = col0 + at.col + 8 * j + 2 * at.t;
        if (!vectors) {
          if (y < C.rows && x < C.cols) update(C(y, x), alpha, sums[0], beta);
          if (y < C.rows && x + 1 < C.cols) update(C(y, x + 1), alpha, sums[1], beta);
        } else if constexpr (!Element16<U>) {
          if (y < C.rows && x < C.cols) update_vector(&C(y, x), sums, alpha, beta);
        } else {
          if (j % 2 != 0) continue;
          float four[4];
          exchange(four, sums, &value[i / 2][j + 1][i % 2 * 2], at.t);
          const Index x4 = col0 + at.col + 8 * (j + at.t % 2) + at.t / 2 * 4;
          if (y < C.rows && x4 < C.cols) update_vector(&C(y, x4), four, alpha, beta);
        }
      }
    }
  }

 private:
  /// Of two fragments side by side, lanes 2t and 2t+1 have two neighbours each: then four of the first, or of
  /// the second.
  ROOFTILE_FUNCTION static void exchange(float (&four)[4], const float* first, const float* second, int t) {
    const bool odd = t % 2 != 0;
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < 2; ++e) {
      const float kept = odd ? second[e] : first[e], got = of_neighbour(odd ? first[e] : second[e]);
      four[e] = odd ? got : kept;
      four[e + 2] = odd ? kept : got;
    }
  }

  template <class U>
  static constexpr int stored_together = Element16<U> ? 4 : 2;  ///< elements of a row of C

  template <class U>
  ROOFTILE_FUNCTION static void update_vector(U* c, const Sum* sums, Sum alpha, Sum beta) {
    constexpr int stored = stored_together<U>;
    using Row = Vector<U, stored>;
    Row row = beta == Sum(0) ? Row{} : *reinterpret_cast<const Row*>(c);
    Sum result[stored];
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < stored; ++e) {
      result[e] = static_cast<Sum>(row.value[e]);
      update(result[e], alpha, sums[e], beta);
    }
    if constexpr (Element16<U>) {
      *reinterpret_cast<Vector<Word, 2>*>(c) = {rounded_pair<U>(result[0], result[1]),
                                                rounded_pair<U>(result[2], result[3])};
    } else {
      *reinterpret_cast<Row*>(c) = {result[0], result[1]};
    }
  }
};

}  // namespace rooftile::detail
