// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "rooftile/matrix.hpp"

/// Products of matrices that the processes of a grid share. No MPI in this file.
namespace rooftile::distributed {

/// Processes in rows and columns. Rank r of a communicator stands in row r / cols and column r % cols; ranks
/// from rows·cols on are outside and hold nothing.
struct Grid {
  int rows = 1;  ///< of processes
  int cols = 1;  ///< of processes

  /// How many processes hold something.
  constexpr int size() const { return rows * cols; }
  /// The rank at (row, col).
  constexpr int rank(int row, int col) const { return row * cols + col; }

  /// Member by member.
  friend constexpr bool operator==(const Grid&, const Grid&) = default;
};

/// How the indices of one dimension are dealt to the rows, or the columns, of a grid: in blocks, one process
/// after the other, beginning with `source`, as in ScaLAPACK. What a process holds, it holds in order.
struct Dealing {
  Index extent = 0;  ///< how many indices
  Index block = 1;   ///< indices of a block
  Index first = 0;   ///< indices of the first block; 0: as many as of the others
  int source = 0;    ///< who has the first block

  /// Indices of the first block.
  constexpr Index first_block() const { return first > 0 ? first : block; }

  /// The block that index i is in. @pre i ≥ 0
  constexpr Index block_of(Index i) const { return i < first_block() ? 0 : 1 + (i - first_block()) / block; }
  /// The first index of block b; the last Index there is where that is beyond it, as of the block behind one
  /// that holds all.
  constexpr Index begin_of(Index b) const {
    Index begin = 0;
    const bool beyond = b > 0 && (__builtin_mul_overflow(b - 1, block, &begin) ||
                                  __builtin_add_overflow(begin, first_block(), &begin));
    return beyond ? std::numeric_limits<Index>::max() : begin;
  }

  /// Who holds block b.
  constexpr int owner(Index b, int processes) const { return static_cast<int>((source + b) % processes); }

  /// How many of the indices below i `process` holds: where those from i on begin in its memory.
  /// @pre 0 ≤ i; 0 ≤ process < processes. ScaLAPACK's NUMROC
  constexpr Index before(Index i, int processes, int process) const {
    const Index whole = block_of(i);  // blocks that end at or below i
    const Index rank = (process - source + processes) % processes;
    const Index owned = whole > rank ? (whole - rank - 1) / processes + 1 : 0;
    Index held = owned * block;
    if (rank == 0 && owned > 0) held += first_block() - block;
    if (whole % processes == rank) held += i - begin_of(whole);
    return held;
  }

  /// How many indices `process` holds.
  constexpr Index held(int processes, int process) const { return before(extent, processes, process); }

  /// Member by member.
  friend constexpr bool operator==(const Dealing&, const Dealing&) = default;
};

/// How a matrix is dealt to a grid: its rows to the grid's rows, its columns to the grid's columns.
struct Layout {
  Dealing rows;  ///< to the rows of the grid
  Dealing cols;  ///< to its columns

  /// Member by member.
  friend constexpr bool operator==(const Layout&, const Layout&) = default;
};

/// A matrix (m,n) in blocks (mb,nb), the first of which process (0,0) has.
constexpr Layout block_cyclic(Index m, Index n, Index mb, Index nb) {
  return {{m, mb}, {n, nb}};
}

}  // namespace rooftile::distributed
