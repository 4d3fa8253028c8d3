// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

/// How CPUs' kernels, which are in the library, reach an epilogue that a user's file compiles (`fused.hpp`):
/// by an address, once for each block of C.
namespace rooftile::detail {

/// Elements of C whose sums are complete: those from (row,col) on.
template <class T>
struct FinishedBlock {
  MatrixRef<const Scalar<T>> values;  ///< alpha·A·B + beta·C, not rounded; in C itself, but for 16 bits
  MatrixRef<T> to;                    ///< where in C they go
  Index entry;                        ///< whose C it is
  Index row;
  Index col;
  bool conjugated;  ///< values are, and C wants, conjugates of what the epilogue sees
};

/// Calls a function with each block of C that is complete, in any order and from any thread, but each element
/// once.
template <class T>
struct BlockEpilogue {
  /// Null: nothing is done to C.
  void (*function)(const void* context, const FinishedBlock<T>& block) = nullptr;
  void (*fetch)(const void* context, Index entry, Index row, Index col, Index rows,
                Index cols) = nullptr;  ///< null: nothing to
  const void* context = nullptr;
  bool is_transposed = false;  ///< what is computed is Cᵀ
  bool is_conjugated = false;  ///< what is computed is the conjugate of C
  Index entry = 0;             ///< of a batch or group, whose C is computed

  constexpr bool exists() const { return function != nullptr; }
  constexpr BlockEpilogue transposed() const {
    BlockEpilogue other = *this;
    other.is_transposed = !is_transposed;
    return other;
  }
  /// Of the entry so many behind.
  constexpr BlockEpilogue of_entry(Index number) const {
    BlockEpilogue other = *this;
    other.entry += number;
    return other;
  }
  /// The same where `prepared` changes a C.
  BlockEpilogue placed(const MatrixRef<T>& C) const {
    BlockEpilogue other = *this;
    other.is_transposed = has_rows_inside(C), other.is_conjugated = reads_conjugates(C);
    return other;
  }

  /// Says which elements are computed next, so that what is read for them comes from memory meanwhile.
  void expect(Index row, Index col, Index rows, Index cols) const {
    if (fetch == nullptr) return;
    is_transposed ? fetch(context, entry, col, row, cols, rows) : fetch(context, entry, row, col, rows, cols);
  }

  /// @param row,col  of the block's first element in what is computed
  void finish(const MatrixRef<const Scalar<T>>& values, const MatrixRef<T>& to, Index row, Index col) const {
    if (!exists() || to.rows == 0 || to.cols == 0) return;
    using Block = FinishedBlock<T>;
    function(context, is_transposed
                          ? Block{values.transposed(), to.transposed(), entry, col, row, is_conjugated}
                          : Block{values, to, entry, row, col, is_conjugated});
  }
  /// The same of values that are in C.
  void finish(const MatrixRef<T>& block, Index row, Index col) const { finish(block, block, row, col); }
};

}  // namespace rooftile::detail
