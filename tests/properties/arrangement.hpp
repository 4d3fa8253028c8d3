// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "case.hpp"

namespace rooftile::testing {

/// Where the matrices of an operand lie, seen from the lowest element of all, and how many there are in its
/// memory.
struct Arrangement {
  Lattice lattice;                 ///< of each matrix
  Index inner, outer;              ///< matrices that are in memory
  Index stride, outer_stride = 0;  ///< from one to the next; 0: all share one
  Index reach = 0;                 ///< what is behind the highest element

  /// @param count  of batch entries
  /// @param along  of two dimensions, entries of the inner one; 0: there is one
  Arrangement(const Placing& p, Index rows, Index cols, Index count, Index along)
      : lattice(p.storage, rows, cols, p.pad + (is_woven(p, along) ? (along - 1) * line(p, rows, cols) : 0)),
        inner(p.shared || (along > 0 && p.shared_inner) ? 1
              : along > 0                               ? along
                                                        : count),
        outer(along == 0 || p.shared || p.shared_outer ? 1 : count / along) {
    const bool shares_inner = inner == 1 && (p.shared || along > 1), shares_outer = outer == 1;
    const auto all = [](Index matrices, Index distance) {
      return std::max<Index>(matrices - 1, 0) * distance;
    };
    const Index next = lattice.reach + p.gap;
    if (along > 0 && p.crossed && !is_woven(p, along)) {  // the outer dimension steps within the inner one
      outer_stride = shares_outer ? 0 : next;
      stride = shares_inner ? 0 : all(outer, outer_stride) + next;
    } else {
      const Index step = p.storage == Storage::strided || p.storage == Storage::strided_column ? 2 : 1;
      stride = shares_inner ? 0 : is_woven(p, along) ? step * line(p, rows, cols) : next;
      outer_stride = shares_outer ? 0 : all(inner, stride) + next;
    }
    if (inner > 0 && outer > 0) reach = lattice.reach + all(inner, stride) + all(outer, outer_stride);
  }

 private:
  /// Whether the rows, or columns, of neighbouring entries take turns in memory.
  static bool is_woven(const Placing& p, Index along) {
    return along > 0 && p.woven && !p.shared && !p.shared_inner;
  }
  static Index line(const Placing& p, Index rows, Index cols) {
    return p.storage == Storage::column || p.storage == Storage::strided_column ? rows : cols;
  }
};

}  // namespace rooftile::testing
