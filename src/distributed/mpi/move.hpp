// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "distributed/mpi/agreement.hpp"
#include "distributed/mpi/checks.hpp"
#include "distributed/mpi/owners.hpp"

/// Of a matrix A that gets B's layout, columns at a time, what it takes on the host and on GPUs alike.
namespace rooftile::distributed {

/// Who has something by one layout that this process has by the other.
struct Partner {
  int rank;
  int row, col;  ///< where it stands, along rows and columns
  Index rows;    ///< that are common
};

/// Who has by X something of what this process has by Y, itself, too.
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

/// The parts that a matrix passes in.
struct Parts {
  Index columns = 0;          ///< of each, at most; 0: there is nothing to move
  std::size_t workspace = 0;  ///< in bytes, on each process
};

/// @param padding  bytes that aligning the two buffers takes: of what is sent, and of what arrives
/// @throws Error where not even a column fits
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

/// Calls f(A, B), or f(Aᵀ, Bᵀ), whose columns are the longer dimension: more of them fit.
template <class T, class F>
void along_columns(const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B, const F& f) {
  const bool turns = A.rows.extent > A.cols.extent && B.rows.extent > B.cols.extent;
  turns ? f(A.transposed(), B.transposed()) : f(A, B);
}

/// @throws Error where this process sees a fault
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
                             static_cast<const void*>(read.data), "): write to a matrix of its own"));
  }
}

/// Of a redistribution's arguments, what must be the same everywhere.
template <class T>
Fingerprint fingerprint_of(const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  Fingerprint fingerprint;
  fingerprint.add(type_of<T>(), detail::reads_conjugates(A.local), detail::reads_conjugates(B.local));
  for (const Slice* slice : {&A.rows, &A.cols, &B.rows, &B.cols}) fingerprint.add(*slice);
  return fingerprint;
}

/// Whether elements become their conjugates on the way.
template <class T>
bool conjugates(const DistributedMatrix<const T>& A, const DistributedMatrix<T>& B) {
  return detail::reads_conjugates(A.local) != detail::reads_conjugates(B.local);
}

}  // namespace rooftile::distributed
