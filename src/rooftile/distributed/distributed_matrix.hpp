// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/distributed/layout.hpp"

namespace rooftile::distributed {

/// A part of the indices of a dimension, for sub-matrices.
struct Slice {
  Dealing dealing;      ///< distribution of the whole dimension
  Index begin = 0;      ///< the first index
  Index extent = 0;     ///< number of indices
  bool to_rows = true;  ///< the dimension is distributed to the grid's rows; else its columns
};

/// A matrix that is distributed over a grid, or a sub-matrix, or its transpose. Products check it, not this
/// class: an exception on one process would leave the others waiting.
template <class T>
struct DistributedMatrix {
  Layout layout;  ///< distribution of the whole matrix
  MatrixRef<T>
      local;   ///< what this process holds of it, (layout.rows.held, layout.cols.held), in any strides
  Slice rows;  ///< indices of the rows of op(matrix)
  Slice cols;  ///< indices of the columns of op(matrix)
  bool is_transposed = false;  ///< the rows of op(matrix) are columns of `layout`

  /// Describes a whole matrix.
  DistributedMatrix(const Layout& whole, const MatrixRef<T>& own)
      : layout(whole),
        local(own),
        rows{whole.rows, 0, whole.rows.extent, true},
        cols{whole.cols, 0, whole.cols.extent, false} {}

  /// A matrix of T converts to a matrix of const T.
  template <class U>
  requires(!std::is_const_v<T> && std::same_as<U, const T>) operator DistributedMatrix<U>() const {
    DistributedMatrix<U> other(layout, local);
    other.rows = rows, other.cols = cols, other.is_transposed = is_transposed;
    return other;
  }

  /// Returns the sub-matrix (m,n) that begins at (i,j); it need not begin at a block boundary.
  DistributedMatrix block(Index i, Index j, Index m, Index n) const {
    DistributedMatrix other = *this;
    other.rows.begin += i, other.rows.extent = m;
    other.cols.begin += j, other.cols.extent = n;
    return other;
  }
  /// Returns the transpose, a view of the same elements.
  DistributedMatrix transposed() const {
    DistributedMatrix other = *this;
    std::swap(other.rows, other.cols);
    other.is_transposed = !is_transposed;
    return other;
  }
  /// Returns the conjugate, a view of the same elements.
  DistributedMatrix conjugated() const {
    DistributedMatrix other = *this;
    other.local = local.conjugated();
    return other;
  }
  /// Returns the conjugate transpose.
  DistributedMatrix adjoint() const { return transposed().conjugated(); }
};

}  // namespace rooftile::distributed
