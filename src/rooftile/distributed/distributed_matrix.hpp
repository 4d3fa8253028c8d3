// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/distributed/layout.hpp"

namespace rooftile::distributed {

/// Some of the indices of a dimension: those of a sub-matrix.
struct Slice {
  Dealing dealing;      ///< of the whole dimension
  Index begin = 0;      ///< the first index
  Index extent = 0;     ///< how many
  bool to_rows = true;  ///< whether the dimension is dealt to the grid's rows; else to its columns
};

/// A matrix that the processes of a grid share, or a sub-matrix of one, or its transpose: where the elements
/// of all of it are, and this process's own. Nothing is checked before a product is asked for, since one
/// process that threw here would leave the others waiting there.
template <class T>
struct DistributedMatrix {
  Layout layout;  ///< of the whole matrix
  MatrixRef<T>
      local;   ///< what this process holds of it, (layout.rows.held, layout.cols.held), in any strides
  Slice rows;  ///< of op(matrix)
  Slice cols;  ///< of op(matrix)
  bool is_transposed = false;  ///< whether the rows of op(matrix) are columns of `layout`

  /// All of a matrix.
  DistributedMatrix(const Layout& whole, const MatrixRef<T>& own)
      : layout(whole),
        local(own),
        rows{whole.rows, 0, whole.rows.extent, true},
        cols{whole.cols, 0, whole.cols.extent, false} {}

  /// A matrix may be passed where a read-only one is wanted.
  template <class U>
  requires(!std::is_const_v<T> && std::same_as<U, const T>) operator DistributedMatrix<U>() const {
    DistributedMatrix<U> other(layout, local);
    other.rows = rows, other.cols = cols, other.is_transposed = is_transposed;
    return other;
  }

  /// The (m,n) elements from (i,j) on, which need not begin with a block.
  DistributedMatrix block(Index i, Index j, Index m, Index n) const {
    DistributedMatrix other = *this;
    other.rows.begin += i, other.rows.extent = m;
    other.cols.begin += j, other.cols.extent = n;
    return other;
  }
  /// The same elements read as (cols, rows).
  DistributedMatrix transposed() const {
    DistributedMatrix other = *this;
    std::swap(other.rows, other.cols);
    other.is_transposed = !is_transposed;
    return other;
  }
  /// The same elements read as their conjugates.
  DistributedMatrix conjugated() const {
    DistributedMatrix other = *this;
    other.local = local.conjugated();
    return other;
  }
  /// Both.
  DistributedMatrix adjoint() const { return transposed().conjugated(); }
};

}  // namespace rooftile::distributed
