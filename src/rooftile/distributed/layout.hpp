// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "rooftile/matrix.hpp"

/// Products of matrices that are distributed over the processes of a grid. This file does not depend on MPI.
namespace rooftile::distributed {

/// A grid of processes. Rank r of a communicator is in row r / cols and column r % cols. Ranks from rows·cols
/// on are outside and hold no elements.
struct Grid {
  int rows = 1;  ///< rows of processes
  int cols = 1;  ///< columns of processes

  /// Returns the number of processes in the grid.
  constexpr int size() const { return rows * cols; }
  /// Returns the rank at (row, col).
  constexpr int rank(int row, int col) const { return row * cols + col; }

  /// Compares all members.
  friend constexpr bool operator==(const Grid&, const Grid&) = default;
};

/// The distribution of the indices of one dimension to the rows, or the columns, of a grid. As in ScaLAPACK,
/// blocks go to the processes in turn, beginning with `source`. A process stores its indices in order.
struct Dealing {
  Index extent = 0;  ///< number of indices
  Index block = 1;   ///< indices of a block
  Index first = 0;   ///< indices of the first block; 0: `block`
  int source = 0;    ///< the process with the first block

  /// Returns the indices of the first block.
  constexpr Index first_block() const { return first > 0 ? first : block; }

  /// Returns the block of index i. @pre i ≥ 0
  constexpr Index block_of(Index i) const { return i < first_block() ? 0 : 1 + (i - first_block()) / block; }
  /// Returns the first index of block b; the largest Index if the result overflows.
  constexpr Index begin_of(Index b) const {
    Index begin = 0;
    const bool beyond = b > 0 && (__builtin_mul_overflow(b - 1, block, &begin) ||
                                  __builtin_add_overflow(begin, first_block(), &begin));
    return beyond ? std::numeric_limits<Index>::max() : begin;
  }

  /// Returns the process with block b.
  constexpr int owner(Index b, int processes) const { return static_cast<int>((source + b) % processes); }

  /// Returns how many of the indices below i `process` holds, which is the local position of i. ScaLAPACK
  /// calls it NUMROC.
  /// @pre 0 ≤ i; 0 ≤ process < processes
  constexpr Index before(Index i, int processes, int process) const {
    const Index whole = block_of(i);  // blocks that end at or below i
    const Index rank = (process - source + processes) % processes;
    const Index owned = whole > rank ? (whole - rank - 1) / processes + 1 : 0;
    Index held = owned * block;
    if (rank == 0 && owned > 0) held += first_block() - block;
    if (whole % processes == rank) held += i - begin_of(whole);
    return held;
  }

  /// Returns how many indices `process` holds.
  constexpr Index held(int processes, int process) const { return before(extent, processes, process); }

  /// Compares all members.
  friend constexpr bool operator==(const Dealing&, const Dealing&) = default;
};

/// The distribution of a matrix: rows to the grid's rows, columns to the grid's columns.
struct Layout {
  Dealing rows;  ///< of the rows, to the rows of the grid
  Dealing cols;  ///< of the columns, to the columns of the grid

  /// Compares all members.
  friend constexpr bool operator==(const Layout&, const Layout&) = default;
};

/// Returns the block-cyclic layout of a matrix (m,n) in blocks (mb,nb), the first one on process (0,0).
constexpr Layout block_cyclic(Index m, Index n, Index mb, Index nb) {
  return {{m, mb}, {n, nb}};
}

}  // namespace rooftile::distributed
