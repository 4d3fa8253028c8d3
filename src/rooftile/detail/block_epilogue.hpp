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
  Index row;
  Index col;
  bool conjugated;  ///< values are, and C wants, conjugates of what the epilogue sees
};

/// Nothing is done to C.
struct NoEpilogue {
  static constexpr bool exists = false;

  constexpr NoEpilogue transposed() const { return {}; }
  template <class... Block>
  constexpr void expect(const Block&...) const {}
  template <class... Block>
  constexpr void finish(const Block&...) const {}
};

/// Calls a function with each block of C that is complete, in any order and from any thread, but each element
/// once.
template <class T>
struct BlockEpilogue {
  static constexpr bool exists = true;

  void (*function)(const void* context, const FinishedBlock<T>& block);
  void (*fetch)(const void* context, Index row, Index col, Index rows, Index cols);  ///< null: nothing to
  const void* context;
  bool is_transposed = false;  ///< what is computed is Cᵀ
  bool is_conjugated = false;  ///< what is computed is the conjugate of C

  constexpr BlockEpilogue transposed() const {
    return {function, fetch, context, !is_transposed, is_conjugated};
  }

  /// Says which elements are computed next, so that what is read for them comes from memory meanwhile.
  void expect(Index row, Index col, Index rows, Index cols) const {
    if (fetch == nullptr) return;
    is_transposed ? fetch(context, col, row, cols, rows) : fetch(context, row, col, rows, cols);
  }

  /// @param row,col  of the block's first element in what is computed
  void finish(const MatrixRef<const Scalar<T>>& values, const MatrixRef<T>& to, Index row, Index col) const {
    if (to.rows == 0 || to.cols == 0) return;
    function(context, is_transposed
                          ? FinishedBlock<T>{values.transposed(), to.transposed(), col, row, is_conjugated}
                          : FinishedBlock<T>{values, to, row, col, is_conjugated});
  }
  /// The same of values that are in C.
  void finish(const MatrixRef<T>& block, Index row, Index col) const { finish(block, block, row, col); }
};

}  // namespace rooftile::detail

namespace rooftile::portable {

using detail::NoEpilogue;

}  // namespace rooftile::portable
