// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "distributed/mpi/runs.hpp"
#include "plan/check.hpp"
#include "rooftile/distributed/context.hpp"

/// Checks of the arguments of one process, without communication.
namespace rooftile::distributed {

inline void check_dealing(const char* name, const Dealing& dealing, int processes) {
  if (dealing.extent < 0 || dealing.block < 1 || dealing.first < 0) {
    throw Error(detail::text("invalid layout of ", name, " (extent ", dealing.extent, ", block ",
                             dealing.block, ", first ", dealing.first,
                             "): give an extent of 0 or more in blocks of 1 or more"));
  }
  if (dealing.source < 0 || dealing.source >= processes) {
    throw Error(detail::text("first block of ", name, " outside the grid (process ", dealing.source, " of ",
                             processes, "): count processes from 0"));
  }
}

inline void check_slice(const char* name, const Slice& slice) {
  if (slice.begin < 0 || slice.extent < 0 || slice.begin > slice.dealing.extent ||
      slice.extent > slice.dealing.extent - slice.begin) {
    throw Error(detail::text("block outside ", name, " (extent ", slice.extent, ", begin ", slice.begin,
                             ", of ", slice.dealing.extent, "): begin and end inside the matrix"));
  }
}

/// The elements of a sub-matrix, transposed or not, that process (row, col) holds.
template <class T>
MatrixRef<T> local_block(const DistributedMatrix<T>& X, const Grid& grid, int row, int col) {
  const MatrixRef<T> local = stored(X);
  const auto first = [&](const Slice& s) {
    return s.dealing.before(s.begin, processes_of(s, grid), coordinate_of(s, row, col));
  };
  const auto count = [&](const Slice& s) {
    return held(s, processes_of(s, grid), coordinate_of(s, row, col), 0, s.extent);
  };
  const Index rows = count(X.rows), cols = count(X.cols);
  if (rows == 0 || cols == 0) return local.block(0, 0, rows, cols);
  return local.block(first(X.rows), first(X.cols), rows, cols);
}

/// Whether the local elements of X (outer, K) are contiguous along K.
template <class T>
bool lies_along_k(const DistributedMatrix<const T>& X) {
  const MatrixRef<const T> local = stored(X);
  return local.rows > 0 && local.cols > 0 && std::abs(local.col_stride) < std::abs(local.row_stride);
}

/// @throws Error if a layout is invalid, a sub-matrix exceeds the matrix, or the local part does not match
template <class T>
void check_matrix(const char* name, const DistributedMatrix<T>& X, const Context& context) {
  const Grid grid = context.grid();
  check_dealing(name, X.layout.rows, grid.rows);
  check_dealing(name, X.layout.cols, grid.cols);
  check_slice(name, X.rows);
  check_slice(name, X.cols);
  if (!context.in_grid()) return;
  const Index rows = X.layout.rows.held(grid.rows, context.row());
  const Index cols = X.layout.cols.held(grid.cols, context.col());
  if (X.local.rows != rows || X.local.cols != cols) {
    throw Error(detail::text("local part of ", name, " does not match its layout (", X.local.rows, " x ",
                             X.local.cols, " elements, process ", context.row(), ",", context.col(),
                             " holds ", rows, " x ", cols, "): give the elements that the process holds"));
  }
  detail::check_memory(name, X.local);
}

/// @throws Error if extents differ, a matrix is invalid, or C overlaps A or B
template <class T>
void check_product(const Context& context, const DistributedMatrix<const T>& A,
                   const DistributedMatrix<const T>& B, const DistributedMatrix<T>& C) {
  check_matrix("A", A, context);
  check_matrix("B", B, context);
  check_matrix("C", C, context);
  const Index m = C.rows.extent, n = C.cols.extent, k = A.cols.extent;
  const auto extents = [](Index rows, Index cols) { return row_major<const T>(nullptr, rows, cols); };
  detail::check_conforming(extents(A.rows.extent, k), extents(B.rows.extent, B.cols.extent), extents(m, n));
  if (!context.in_grid()) return;
  const Grid grid = context.grid();
  const MatrixRef<T> own = local_block(C, grid, context.row(), context.col());
  if (detail::is_empty(own)) return;
  detail::check_distinct(own);
  const auto check_apart = [&](const char* name, const DistributedMatrix<const T>& X) {
    const MatrixRef<const T> read = local_block(X, grid, context.row(), context.col());
    if (detail::overlap(read, own)) detail::refuse_overlap(name, read, own);
  };
  check_apart("A", A);
  check_apart("B", B);
}

}  // namespace rooftile::distributed
