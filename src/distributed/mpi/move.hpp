// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "distributed/mpi/agreement.hpp"
#include "distributed/mpi/checks.hpp"
#include "distributed/mpi/owners.hpp"

/// Redistribution of a matrix A to the layout of B, some columns at a time. Shared by the host and the GPU
/// code.
namespace rooftile::distributed {

/// A process that holds, in one layout, elements that this process holds in the other layout.
struct Partner {
  int rank;
  int row, col;  ///< coordinates of its rows and columns in the grid
  Index rows;    ///< number of common rows
};

/// The processes, this one included, that hold in X some of the elements that this process holds in Y.
template <class U, class V>
std::vector<Partner> partners_of(const Context& context, const DistributedMatrix<U>& X,
                                 const DistributedMatrix<V>& Y) {
  const Grid grid = context.grid();
  const auto owners = [&](const Slice& x, const Slice& y) {
    return owners_of(x, processes_of(x, grid), y, processes_of(y, grid),
                     coordinate_of(y, context.row(), context.col()), 0, y.extent);
  };
  const std::vector<Index> rows = owners(X.rows, Y.rows);
  std::vector<Partner> partners;
  for_each_partner(grid, X.rows, rows, owners(X.cols, Y.cols), [&](int rank, int p, int q) {
    partners.push_back({rank, p, q, rows[static_cast<std::size_t>(p)]});
  });
  return partners;
}

/// The parts in which a matrix is redistributed.
struct Parts {
  Index columns = 0;          ///< maximum number of columns of a part; 0 if there is nothing to move
  std::size_t workspace = 0;  ///< in bytes, on each process
};

/// @param padding  bytes for aligning the send and the receive buffer
/// @throws Error if the workspace is too small for one column
template <class T>
Parts parts_of(const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B, const Grid& grid,
               std::size_t limit, std::size_t padding) {
  const auto max_held = [&](bool rows) {
    Index most = 0;
    for (int p = 0; p < (rows ? grid.rows : grid.cols); ++p) {
      Index here = 0;
      for (const Slice* slice : {&A.rows, &B.rows}) {
        if (slice->to_rows == rows) here += held(*slice, processes_of(*slice, grid), p, 0, slice->extent);
      }
      most = std::max(most, here);
    }
    return most;
  };
  const std::size_t of_one =
      static_cast<std::size_t>(std::max<Index>(max_held(true) + max_held(false), 1)) * sizeof(T);
  if (A.rows.extent == 0 || A.cols.extent == 0) return {};
  const std::size_t fit = limit > padding ? (limit - padding) / of_one : 0;
  const std::size_t columns = std::min(fit, static_cast<std::size_t>(A.cols.extent));
  if (columns == 0) {
    throw Error(detail::text("too little workspace to redistribute a matrix (", limit, " of ",
                             of_one + padding, " bytes): allow more, or take more processes"));
  }
  return {static_cast<Index>(columns), columns * of_one + padding};
}

/// Calls f(A, B), or f(Aᵀ, Bᵀ) if the columns are longer than the rows: more of the shorter columns fit the
/// workspace.
template <class T, class F>
void along_columns(const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B, const F& f) {
  const bool turns = A.rows.extent > A.cols.extent && B.rows.extent > B.cols.extent;
  turns ? f(A.transposed(), B.transposed()) : f(A, B);
}

/// @throws Error if the arguments of this process are invalid
template <class T>
void check_move(const Context& context, const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  check_matrix("A", A, context);
  check_matrix("B", B, context);
  if (A.rows.extent != B.rows.extent || A.cols.extent != B.cols.extent) {
    throw Error(detail::text("shapes differ (A ", A.rows.extent, " x ", A.cols.extent, ", B ", B.rows.extent,
                             " x ", B.cols.extent, "): give matrices of one shape"));
  }
  if (!context.in_grid()) return;
  const MatrixRef<T> own = local_block(B, context.grid(), context.row(), context.col());
  if (detail::is_empty(own)) return;
  detail::check_distinct(own);
  const MatrixRef<const T> read = local_block(A, context.grid(), context.row(), context.col());
  if (detail::overlap(read, own)) {
    throw Error(detail::text("B overlaps A (", static_cast<const void*>(own.data), " and ",
                             static_cast<const void*>(read.data), "): give B its own memory"));
  }
}

/// The fingerprint of those arguments of a redistribution that must be equal on all processes.
template <class T>
Fingerprint fingerprint_of(const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  Fingerprint fingerprint;
  fingerprint.add(type_of<T>(), detail::reads_conjugates(A.local), detail::reads_conjugates(B.local));
  for (const Slice* slice : {&A.rows, &A.cols, &B.rows, &B.cols}) fingerprint.add(*slice);
  return fingerprint;
}

/// Whether the redistribution conjugates the elements.
template <class T>
bool conjugates(const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  return detail::reads_conjugates(A.local) != detail::reads_conjugates(B.local);
}

}  // namespace rooftile::distributed
