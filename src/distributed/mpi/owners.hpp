// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "distributed/mpi/division.hpp"

namespace rooftile::distributed {

/// Calls f(p, length) for each run of the indices [from, to) that process `of_y` holds by slice y and process
/// p holds by slice x. Both slices have equal extents.
template <class F>
void for_each_owner(const Slice& x, int x_processes, const Slice& y, int y_processes, int of_y, Index from,
                    Index to, const F& f) {
  if (x_processes == 1) return f(0, held(y, y_processes, of_y, from, to));
  if (x_processes == y_processes && divide_alike(x, y)) {
    return f(of_y, held(y, y_processes, of_y, from, to));
  }
  if (y_processes == 1) {
    for (int p = 0; p < x_processes; ++p) f(p, held(x, x_processes, p, from, to));
    return;
  }
  for (Runs runs(y, y_processes, of_y, from, to); runs.more(); runs.skip(runs.length())) {
    const Index end = x.begin + runs.begin() + runs.length();
    Index begin = x.begin + runs.begin(), block = x.dealing.block_of(begin);
    for (int owner = x.dealing.owner(block, x_processes); begin < end; ++block) {
      const Index next = std::min(end, x.dealing.begin_of(block + 1));
      f(owner, next - begin);
      begin = next;
      if (++owner == x_processes) owner = 0;
    }
  }
}

/// For each process p, the number of indices that p holds by x and process `of_y` holds by y.
inline std::vector<Index> owners_of(const Slice& x, int x_processes, const Slice& y, int y_processes,
                                    int of_y, Index from, Index to) {
  std::vector<Index> counts(static_cast<std::size_t>(x_processes));
  for_each_owner(x, x_processes, y, y_processes, of_y, from, to,
                 [&](int p, Index length) { counts[static_cast<std::size_t>(p)] += length; });
  return counts;
}

/// Calls f(rank), in order, for each process at a coordinate of a slice's dimension of the grid.
template <class F>
void for_each_rank(const Grid& grid, const Slice& slice, int coordinate, const F& f) {
  if (slice.to_rows) {
    for (int col = 0; col < grid.cols; ++col) f(grid.rank(coordinate, col));
  } else {
    for (int row = 0; row < grid.rows; ++row) f(grid.rank(row, coordinate));
  }
}

/// Calls f(rank, p, q) for each process that holds some rows and some columns of a matrix. `of_rows[p]` and
/// `of_cols[q]` count them per coordinate.
/// @param rows  tells whether matrix rows are distributed over grid rows or grid columns
template <class F>
void for_each_partner(const Grid& grid, const Slice& rows, const std::vector<Index>& of_rows,
                      const std::vector<Index>& of_cols, const F& f) {
  for (std::size_t p = 0; p < of_rows.size(); ++p) {
    for (std::size_t q = 0; of_rows[p] > 0 && q < of_cols.size(); ++q) {
      const int row = static_cast<int>(rows.to_rows ? p : q), col = static_cast<int>(rows.to_rows ? q : p);
      if (of_cols[q] > 0) f(grid.rank(row, col), static_cast<int>(p), static_cast<int>(q));
    }
  }
}

}  // namespace rooftile::distributed
