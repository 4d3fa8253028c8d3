// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/batch_product.hpp"
#include "plan/block_limits.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/tile.hpp"

/// Several tiles of C that one team computes side by side: small batch entries, one each.
namespace rooftile::detail {

/// A team's tiles, of the entries from `team` times their count on. Each is computed by Tile::max_threads of
/// the team's threads; all threads copy, so that what lies together in memory is read and written together,
/// from one entry to the next.
/// @tparam Batch  what the kernel gets
template <class T, class Tile, int threads, class Batch>
class SmallTiles {
 public:
  using Sum = Scalar<T>;  ///< of products: fp32 for elements of 16 bits, which shared memory holds, too
  static constexpr int tiles = threads / Tile::max_threads;
  static constexpr int tile_elements = small_tile_elements(Tile::shape);
  static constexpr int elements = tiles * tile_elements;  ///< of shared memory

  /// (TM,TN) of the thread's elements of C, whose rows lie BM/TM apart, and columns BN/TN.
  struct Accumulator {
    Sum value[Tile::tm()][Tile::tn()] = {};
  };

  ROOFTILE_FUNCTION SmallTiles(const Batch& batch, Sum* shared, Index team, int rank)
      : batch_(batch), shared_(shared), rank_(rank), first_(team * tiles) {
    const Index left = batch.batch.count - first_;
    count_ = left < tiles ? static_cast<int>(left) : tiles;
  }

  /// Copies the panels of A (BM,BK) and B (BK,BN) at k0 of every entry, with 0 for what lies outside: all
  /// reads first, so that none waits for another, or all of an operand where registers hold no more.
  ROOFTILE_FUNCTION void load(Index k0) const {
    const MatrixRef<const In<T>>&A = batch_.first.A, &B = batch_.first.B;
    Copies<Tile::bm(), Tile::bk()> a(rank_, A.row_stride == 1);
    Copies<Tile::bk(), Tile::bn()> b(rank_, B.row_stride == 1);
    constexpr bool both = sizeof a.values + sizeof b.values <= 128;
    const auto store_a = [&] {
      a.for_each([&](Sum& value, int tile, int i, int k) { panel_a(tile)[i * a_pitch + k] = value; });
    };
    a.for_each([&](Sum& value, int tile, int i, int k) {
      const In<T>* from = &product_in_line(batch_, entry(tile)).A(i, k0 + k);
      value = i < A.rows && k0 + k < A.cols ? Sum(A.read(*from)) : Sum(0);
    });
    if constexpr (!both) store_a();
    b.for_each([&](Sum& value, int tile, int k, int j) {
      const In<T>* from = &product_in_line(batch_, entry(tile)).B(k0 + k, j);
      value = k0 + k < B.rows && j < B.cols ? Sum(B.read(*from)) : Sum(0);
    });
    if constexpr (both) store_a();
    b.for_each([&](Sum& value, int tile, int k, int j) { panel_b(tile)[k * b_pitch + j] = value; });
  }

  /// acc += the thread's rows of the panel of A · its columns of that of B.
  ROOFTILE_FUNCTION void multiply_add(Accumulator& acc) const {
    const Sum *a = panel_a(own_tile()) + ty() * a_pitch, *b = panel_b(own_tile()) + tx();
    ROOFTILE_UNROLL(steps_at_once)
    for (int k = 0; k < Tile::bk(); ++k) {
      ROOFTILE_UNROLL_ALL
      for (int i = 0; i < Tile::tm(); ++i) {
        ROOFTILE_UNROLL_ALL
        for (int j = 0; j < Tile::tn(); ++j)
          detail::multiply_add(acc.value[i][j], a[i * threads_y * a_pitch + k],
                               b[k * b_pitch + j * threads_x]);
      }
    }
  }

  /// Leaves the sums where the panels were.
  ROOFTILE_FUNCTION void keep(const Accumulator& acc) const {
    Sum* c = panel_a(own_tile()) + ty() * b_pitch + tx();
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < Tile::tm(); ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < Tile::tn(); ++j) c[i * threads_y * b_pitch + j * threads_x] = acc.value[i][j];
    }
  }

  /// C = alpha·sums + beta·C, skipping what lies outside C.
  ROOFTILE_FUNCTION void store() const {
    const MatrixRef<Out<T>>& C = batch_.first.C;
    Copies<Tile::bm(), Tile::bn()> c(rank_, C.row_stride == 1);
    ROOFTILE_UNROLL(stores_at_once)
    for (int x = 0; x < decltype(c)::each; ++x) {
      const auto [tile, i, j] = c.place(x);
      if (tile >= count_ || i >= C.rows || j >= C.cols) continue;
      update(product_in_line(batch_, entry(tile)).C(i, j), batch_.first.alpha, panel_a(tile)[i * b_pitch + j],
             batch_.first.beta);
    }
  }

 private:
  /// One more than a row has, so that threads along a column, too, reach different banks.
  static constexpr int a_pitch = Tile::bk() + 1, b_pitch = Tile::bn() + 1;
  static constexpr int threads_y = Tile::bm() / Tile::tm(), threads_x = Tile::bn() / Tile::tn();

  /// Along K: of complex numbers one is enough work, and more want too many registers.
  static constexpr int steps_at_once = is_complex<T> ? 1 : Tile::bk();

  /// Elements of C that are stored without a branch: more want too many of AMD's scalar registers.
  static constexpr int stores_at_once = tiles * Tile::bm() * Tile::bn() / threads > 16 ? 4 : 16;

  /// What a thread copies of the panels (rows,cols) of all tiles: neighbours have elements that follow each
  /// other by rows or by columns, each thread the same ones of several tiles.
  template <int rows, int cols>
  struct Copies {
    static constexpr int size = rows * cols;
    static constexpr int parts = size > threads ? size / threads : 1;  ///< of a panel, one after the other
    static_assert(threads * parts % size == 0 && threads % rows == 0 && threads % cols == 0,
                  "threads copy whole panels, or whole lines of one");

    static constexpr int each = tiles * size / threads;  ///< elements of a thread

    /// Where an element lies.
    struct Place {
      int tile, i, j;
    };

    int first_tile, first_i, first_j;
    bool by_columns;
    Sum values[std::size_t{each}];

    ROOFTILE_FUNCTION Copies(int rank, bool along_columns) : by_columns(along_columns) {
      const unsigned number = static_cast<unsigned>(rank), e = number % size;
      first_tile = static_cast<int>(number / size);
      first_i = static_cast<int>(by_columns ? e % rows : e / cols);
      first_j = static_cast<int>(by_columns ? e / rows : e % cols);
    }

    ROOFTILE_FUNCTION Place place(int x) const {
      const int part = x % parts;
      return {first_tile + x / parts * (threads * parts / size),
              first_i + (by_columns ? 0 : part * (threads / cols)),
              first_j + (by_columns ? part * (threads / rows) : 0)};
    }

    /// f(value, tile, i, j) for the thread's elements.
    template <class F>
    ROOFTILE_FUNCTION void for_each(const F& f) {
      ROOFTILE_UNROLL_ALL
      for (int x = 0; x < each; ++x) {
        const auto [tile, i, j] = place(x);
        f(values[x], tile, i, j);
      }
    }
  };

  ROOFTILE_FUNCTION int own_tile() const { return rank_ / Tile::max_threads; }
  ROOFTILE_FUNCTION int ty() const { return rank_ % Tile::max_threads / threads_x; }
  ROOFTILE_FUNCTION int tx() const { return rank_ % threads_x; }
  ROOFTILE_FUNCTION Sum* panel_a(int tile) const { return shared_ + tile * tile_elements; }
  ROOFTILE_FUNCTION Sum* panel_b(int tile) const { return panel_a(tile) + Tile::bm() * a_pitch; }

  /// Whose the tile is. Where there is none, the first: it can be read, and nobody stores what comes of it.
  ROOFTILE_FUNCTION Index entry(int tile) const { return first_ + (tile < count_ ? tile : 0); }

  const Batch& batch_;
  Sum* shared_;
  int rank_;
  Index first_;  ///< the team's first entry
  int count_;    ///< of its tiles that there are
};

}  // namespace rooftile::detail
