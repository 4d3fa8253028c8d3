// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/common/batch_product.hpp"
#include "plan/block_limits.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/tile.hpp"

/// Several tiles of C that one team computes side by side, one for each small batch entry.
namespace rooftile::detail {

/// A team's tiles: those of the `tiles` batch entries from `team` · `tiles` on. Tile::max_threads of the
/// team's threads compute each tile. All threads copy, so that data that is contiguous across entries is read
/// and written together.
/// @tparam Batch  the kernel's batch argument
template <class T, class Tile, int threads, class Batch>
class SmallTiles {
 public:
  using Sum = Scalar<T>;  ///< fp32 for 16-bit elements, also in shared memory
  static constexpr int tiles = threads / Tile::max_threads;
  static constexpr int tile_elements = small_tile_elements(Tile::shape);
  static constexpr int elements = tiles * tile_elements;  ///< elements of shared memory

  /// The thread's (TM,TN) elements of C. Their rows lie BM/TM apart, and their columns BN/TN.
  struct Accumulator {
    Sum value[Tile::tm()][Tile::tn()] = {};
  };

  ROOFTILE_FUNCTION SmallTiles(const Batch& batch, Sum* shared, Index team, int rank)
      : batch_(batch), shared_(shared), rank_(rank), first_(team * tiles) {
    const Index left = batch.batch.count - first_;
    count_ = left < tiles ? static_cast<int>(left) : tiles;
  }

  /// Copies the panels of A (BM,BK) and B (BK,BN) at k0 of every entry. Elements outside an operand become 0.
  /// All reads are issued before the writes so that they overlap; with too few registers, operand by operand.
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

  /// acc += the thread's rows of A's panel · its columns of B's panel.
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

  /// Stores the sums in shared memory, in place of the panels.
  ROOFTILE_FUNCTION void keep(const Accumulator& acc) const {
    Sum* c = panel_a(own_tile()) + ty() * b_pitch + tx();
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < Tile::tm(); ++i) {
      ROOFTILE_UNROLL_ALL
      for (int j = 0; j < Tile::tn(); ++j) c[i * threads_y * b_pitch + j * threads_x] = acc.value[i][j];
    }
  }

  /// C = alpha·sums + beta·C. Elements outside C are skipped.
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
  /// One element longer than a row, so that threads along a column also reach different banks.
  static constexpr int a_pitch = Tile::bk() + 1, b_pitch = Tile::bn() + 1;
  static constexpr int threads_y = Tile::bm() / Tile::tm(), threads_x = Tile::bn() / Tile::tn();

  /// Unrolled steps along K. One step of complex numbers is enough work, and more need too many registers.
  static constexpr int steps_at_once = is_complex<T> ? 1 : Tile::bk();

  /// Unrolled stores of elements of C. More need too many of AMD's scalar registers.
  static constexpr int stores_at_once = tiles * Tile::bm() * Tile::bn() / threads > 16 ? 4 : 16;

  /// A thread's elements of the panels (rows,cols) of all tiles. Neighbouring threads have elements that
  /// follow each other along rows or columns. A thread has the same positions in several tiles.
  template <int rows, int cols>
  struct Copies {
    static constexpr int size = rows * cols;
    static constexpr int parts = size > threads ? size / threads : 1;  ///< a thread's elements of one panel
    static_assert(threads * parts % size == 0 && threads % rows == 0 && threads % cols == 0,
                  "threads copy whole panels, or whole lines of one");

    static constexpr int each = tiles * size / threads;  ///< a thread's elements of all panels

    /// The position of an element.
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

    /// Calls f(value, tile, i, j) for each of the thread's elements.
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

  /// Returns the batch entry of a tile. A tile beyond the last entry gets the team's first entry, which can
  /// be read; its result is not stored.
  ROOFTILE_FUNCTION Index entry(int tile) const { return first_ + (tile < count_ ? tile : 0); }

  const Batch& batch_;
  Sum* shared_;
  int rank_;
  Index first_;  ///< the team's first entry
  int count_;    ///< the team's tiles that have an entry
};

}  // namespace rooftile::detail
