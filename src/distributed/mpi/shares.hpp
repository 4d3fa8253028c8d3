// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "distributed/mpi/division.hpp"

namespace rooftile::distributed {

/// How many indices of a product's dimensions one process has.
struct Share {
  Index a_rows = 0, a_cols = 0, b_rows = 0, b_cols = 0, c_rows = 0, c_cols = 0;  ///< that it holds
  Index m = 0, n = 0;                                                            ///< of C, that it computes

  static Share of(const Operands& x, const Division& division, int rank) {
    const auto of_slice = [&](const Slice& slice) { return held_by(slice, x.grid, rank); };
    return {of_slice(x.a_rows),
            of_slice(x.a_cols),
            of_slice(x.b_rows),
            of_slice(x.b_cols),
            of_slice(x.c_rows),
            of_slice(x.c_cols),
            division.computed(division.c_rows, rank),
            division.computed(division.c_cols, rank)};
  }
};

/// One coordinate for each kind of a grid's rows, or columns, which have equally many indices of each slice.
/// Kinds are few: a dealing gives whole blocks, or one more, but for the first and the last block.
class Kinds {
 public:
  Kinds(int processes, bool rows, std::initializer_list<Slice> slices) {
    std::vector<std::array<Index, 6>> seen;
    for (int p = 0; p < processes; ++p) {
      std::array<Index, 6> counts{};
      std::size_t next = 0;
      for (const Slice& slice : slices) {
        if (slice.to_rows == rows) counts[next++] = held(slice, processes, p, 0, slice.extent);
      }
      const auto found = std::find(seen.begin(), seen.end(), counts);
      kind_of_.push_back(static_cast<std::size_t>(found - seen.begin()));
      if (found == seen.end()) seen.push_back(counts);
    }
    count_ = seen.size();
  }
  std::size_t count() const { return count_; }
  std::size_t operator[](int p) const { return kind_of_[static_cast<std::size_t>(p)]; }

 private:
  std::vector<std::size_t> kind_of_;
  std::size_t count_ = 0;
};

/// The shares of all processes, of those that are equal one.
inline std::vector<Share> shares_of(const Operands& x, const Division& division) {
  const auto held_kinds = [&](int processes, bool rows) {
    return Kinds(processes, rows, {x.a_rows, x.a_cols, x.b_rows, x.b_cols, x.c_rows, x.c_cols});
  };
  const Kinds rows = held_kinds(x.grid.rows, true), cols = held_kinds(x.grid.cols, false);
  const Kinds computed_rows(division.grid.rows, true, {division.c_rows, division.c_cols}),
      computed_cols(division.grid.cols, false, {division.c_rows, division.c_cols});
  // One more of a layer's rows: for processes that compute nothing.
  std::vector<bool> seen(rows.count() * cols.count() * (computed_rows.count() + 1) * computed_cols.count());
  std::vector<Share> shares;
  for (int row = 0, rank = 0; row < x.grid.rows; ++row) {
    for (int col = 0; col < x.grid.cols; ++col, ++rank) {
      std::size_t computed = computed_rows.count() * computed_cols.count();
      if (division.computes(rank)) {
        const auto [layer, layer_row, layer_col] = division.place(rank);
        computed = computed_rows[layer_row] * computed_cols.count() + computed_cols[layer_col];
      }
      const std::size_t both = rows[row] * cols.count() + cols[col];
      const std::size_t kind = both * (computed_rows.count() + 1) * computed_cols.count() + computed;
      if (seen[kind]) continue;
      seen[kind] = true;
      shares.push_back(Share::of(x, division, rank));
    }
  }
  return shares;
}

}  // namespace rooftile::distributed
