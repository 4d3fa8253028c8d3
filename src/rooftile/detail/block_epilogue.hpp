// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/matrix.hpp"
#include "rooftile/types.hpp"

/// Epilogues on CPUs. The kernels are compiled in the library, the epilogue in the user's source file
/// (`fused.hpp`). A kernel calls the epilogue by a function pointer, once for each block of C.
namespace rooftile::detail {

/// A block of C whose sums are complete. Its first element is (row,col).
template <class T>
struct FinishedBlock {
  MatrixRef<const Scalar<T>> values;  ///< alpha·A·B + beta·C, unrounded; in C itself, except for 16 bits
  MatrixRef<T> to;                    ///< the block of C that receives the results
  Index entry;                        ///< batch or group entry
  Index row;
  Index col;
  bool conjugated;  ///< `values` and C are conjugates of the epilogue's values
};

/// Calls a function with each complete block of C. Blocks come in any order and from any thread. Each element
/// is in one block.
template <class T>
struct BlockEpilogue {
  /// Null: no epilogue.
  void (*function)(const void* context, const FinishedBlock<T>& block) = nullptr;
  void (*fetch)(const void* context, Index entry, Index row, Index col, Index rows,
                Index cols) = nullptr;  ///< null: no prefetch
  const void* context = nullptr;
  bool is_transposed = false;  ///< the kernel computes Cᵀ
  bool is_conjugated = false;  ///< the kernel computes the conjugate of C
  Index entry = 0;             ///< batch or group entry that is computed

  constexpr bool exists() const { return function != nullptr; }
  constexpr BlockEpilogue transposed() const {
    BlockEpilogue other = *this;
    other.is_transposed = !is_transposed;
    return other;
  }
  /// Returns the epilogue for the entry `number` places further on.
  constexpr BlockEpilogue of_entry(Index number) const {
    BlockEpilogue other = *this;
    other.entry += number;
    return other;
  }
  /// Returns the epilogue for the layout that `prepared` gives C.
  BlockEpilogue placed(const MatrixRef<T>& C) const {
    BlockEpilogue other = *this;
    other.is_transposed = has_rows_inside(C), other.is_conjugated = reads_conjugates(C);
    return other;
  }

  /// Announces the next block, so that the epilogue can prefetch its operands during the computation.
  void expect(Index row, Index col, Index rows, Index cols) const {
    if (fetch == nullptr) return;
    is_transposed ? fetch(context, entry, col, row, cols, rows) : fetch(context, entry, row, col, rows, cols);
  }

  /// Applies the epilogue to a block.
  /// @param row,col  of the first element, in the matrix that the kernel computes
  void finish(const MatrixRef<const Scalar<T>>& values, const MatrixRef<T>& to, Index row, Index col) const {
    if (!exists() || to.rows == 0 || to.cols == 0) return;
    using Block = FinishedBlock<T>;
    function(context, is_transposed
                          ? Block{values.transposed(), to.transposed(), entry, col, row, is_conjugated}
                          : Block{values, to, entry, row, col, is_conjugated});
  }
  /// Applies the epilogue to values that are stored in C.
  void finish(const MatrixRef<T>& block, Index row, Index col) const { finish(block, block, row, col); }
};

}  // namespace rooftile::detail
