// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/common/fused_update.hpp"
#include "device/common/vector.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/matrix.hpp"

/// A thread's part of a tile of C, in registers.
namespace rooftile::detail {

/// A thread's place among the (BM/TM,BN/TN) threads of a tile. Threads form groups of 4 by 8. The 32 threads
/// of a group read one contiguous piece of at most 128 bytes from each row of a and of b.
template <class Tile>
struct Place {
  static constexpr int threads_y = Tile::bm() / Tile::tm(), threads_x = Tile::bn() / Tile::tn();
  static constexpr int groups_x = threads_x / 8;
  static_assert(threads_y % 4 == 0 && threads_x % 8 == 0, "groups of 4 by 8 threads cover the tile");

  int ty;
  int tx;

  ROOFTILE_FUNCTION explicit Place(int rank)
      : ty(rank / 32 / groups_x * 4 + rank % 32 / 8), tx(rank / 32 % groups_x * 8 + rank % 8) {}
};

/// (TM,TN) elements of C per thread and their multiply-adds, one k at a time. TM + TN values from shared
/// memory serve TM·TN multiply-adds. The thread's rows and columns come in vectors of 16 bytes, a whole row
/// of threads apart.
template <class T, class Tile>
struct RegisterTile {
  static constexpr int k_step = 1;
  static constexpr int TM = Tile::tm(), TN = Tile::tn();
  static constexpr int width = 16 / sizeof(T);
  using Row = Vector<T, width>;
  static_assert(TM % width == 0 && TN % width == 0, "a thread's rows and columns come in vectors");

  /// The values that the thread reads from a row of a and from a row of b.
  struct Fragments {
    T a[std::size_t{TM}];
    T b[std::size_t{TN}];
  };

  int row, col;                                    // position of the thread's first element in the tile
  T value[std::size_t{TM}][std::size_t{TN}] = {};  // (TM,TN)
  int b_is_conjugated;                             // an int, which clang keeps in a register

  /// @param conjugates_b  whether the values of b are read as their conjugates
  ROOFTILE_FUNCTION explicit RegisterTile(int rank, bool conjugates_b = false)
      : row(Place<Tile>(rank).ty * width),
        col(Place<Tile>(rank).tx * width),
        b_is_conjugated(conjugates_b ? 1 : 0) {}

  ROOFTILE_FUNCTION static constexpr int row_of(int i) {
    return i / width * width * Place<Tile>::threads_y + i % width;
  }
  ROOFTILE_FUNCTION static constexpr int col_of(int j) {
    return j / width * width * Place<Tile>::threads_x + j % width;
  }

  template <Conjugation conjugation = Conjugation::asked, class PanelA, class PanelB>
  ROOFTILE_FUNCTION void load(Fragments& f, const PanelA& a, const PanelB& b, int k) const {
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < TM; i += width) {
      *reinterpret_cast<Row*>(f.a + i) = *reinterpret_cast<const Row*>(a.at(k, row) + row_of(i));
    }
    ROOFTILE_UNROLL_ALL
    for (int j = 0; j < TN; j += width) {
      *reinterpret_cast<Row*>(f.b + j) = *reinterpret_cast<const Row*>(b.at(k, col) + col_of(j));
    }
    conjugate<conjugation>(f.b, b_is_conjugated != 0);
  }

  /// Every other row runs backwards. A value of b that two neighbouring instructions share then stays in the
  /// operand reuse cache, which gains 5 % on an H200.
  template <Conjugation = Conjugation::none>
  ROOFTILE_FUNCTION void multiply_add(const Fragments& f) {
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < TM; ++i) {
      if constexpr (is_complex<T> && TM * TN >= 64) {
        multiply_add_parts(value[i], f.a[i], f.b);
      } else {
        ROOFTILE_UNROLL_ALL
        for (int n = 0; n < TN; ++n) {
          const int j = i % 2 == 0 ? n : TN - 1 - n;
          detail::multiply_add(value[i][j], f.a[i], f.b[j]);
        }
      }
    }
  }

  /// C = alpha·value + beta·C for the tile at (row0,col0). Elements outside C are skipped.
  /// @param rank        rank of the thread, passed again so that its place need not stay in registers during
  ///   the product
  /// @param conjugates  whether the conjugates of the sums are stored
  /// @param epilogue    called for each value before the store
  template <class Epilogue = Unchanged>
  ROOFTILE_FUNCTION void store(const MatrixRef<T>& C, Index row0, Index col0, int rank, T alpha, T beta,
                               bool conjugates = false, const Epilogue& epilogue = {}) const {
    const Place<Tile> place(rank);
    const bool vectors = C.col_stride == 1 && C.row_stride % width == 0 && C.cols % width == 0 &&
                         reinterpret_cast<std::uintptr_t>(C.data) % 16 == 0;
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < TM; ++i) {
      const Index y = row0 + place.ty * width + row_of(i);
      if (y >= C.rows) continue;
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < TN; j += width) {
        const Index x = col0 + place.tx * width + col_of(j);
        if (vectors) {
          if (x < C.cols) update_row(&C(y, x), &value[i][j], alpha, beta, conjugates, y, x, epilogue);
        } else {
          ROOFTILE_UNROLL_ALL
          for (int e = 0; e < width; ++e) {
            if (x + e < C.cols)
              update(C(y, x + e), alpha, conjugated_if(conjugates, value[i][j + e]), beta, y, x + e,
                     epilogue);
          }
        }
      }
    }
  }

 private:
  /// Multiplies a row of complex numbers in four passes, two with each part of a; the last two run backwards.
  /// The part of a stays in the operand reuse cache, and no instruction waits for its predecessor. On an H200
  /// this is 1 % faster than one number after the other with 64 sums, and 1 % slower with fewer sums.
  ROOFTILE_FUNCTION static void multiply_add_parts(T (&sums)[std::size_t{TN}], const T& a,
                                                   const T (&b)[std::size_t{TN}]) {
    ROOFTILE_UNROLL_ALL
    for (int j = 0; j < TN; ++j) sums[j].re += a.re * b[j].re;
    ROOFTILE_UNROLL_ALL
    for (int j = 0; j < TN; ++j) sums[j].im += a.re * b[j].im;
    ROOFTILE_UNROLL_ALL
    for (int j = TN - 1; j >= 0; --j) sums[j].re -= a.im * b[j].im;
    ROOFTILE_UNROLL_ALL
    for (int j = TN - 1; j >= 0; --j) sums[j].im += a.im * b[j].re;
  }

  template <class Epilogue>
  ROOFTILE_FUNCTION static void update_row(T* c, const T* product, T alpha, T beta, bool conjugates, Index y,
                                           Index x, const Epilogue& epilogue) {
    Row row = beta == T(0) ? Row{} : *reinterpret_cast<Row*>(c);
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < width; ++e)
      update(row.value[e], alpha, conjugated_if(conjugates, product[e]), beta, y, x + e, epilogue);
    *reinterpret_cast<Row*>(c) = row;
  }
};

}  // namespace rooftile::detail
