// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/matrix.hpp"

/// Operands as the checks see them: where their elements lie, whatever their type is.
namespace rooftile::detail {

/// The memory of a matrix.
struct MatrixMemory {
  const void* data = nullptr;  ///< the address of element (0,0)
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;  ///< elements
  Index col_stride = 0;  ///< elements
  Index size = 1;        ///< bytes of an element

  constexpr MatrixMemory() = default;
  template <class T>
  constexpr MatrixMemory(const MatrixRef<T>& X)
      : data(X.data),
        rows(X.rows),
        cols(X.cols),
        row_stride(X.row_stride),
        col_stride(X.col_stride),
        size(static_cast<Index>(sizeof(T))) {}
};

/// The memory of the matrices of a batch, of one matrix too.
struct BatchMemory {
  MatrixMemory first;
  Index stride = 0;  ///< elements
  Index count = 1;
  bool has_pointers = false;
  Index inner = 0;
  Index outer_stride = 0;  ///< elements

  template <class T>
  constexpr BatchMemory(const MatrixRef<T>& X) : first(X) {}
  template <class T>
  constexpr BatchMemory(const BatchRef<T>& X)
      : first(X.first),
        stride(X.stride),
        count(X.count),
        has_pointers(X.pointers != nullptr),
        inner(X.inner),
        outer_stride(X.outer_stride) {}
};

/// Checks what an epilogue reads. Of matrices that pointers lead to, nobody looks whom they share memory
/// with.
/// @param one_type  whether the elements of X are those of C
/// @throws Error where memory is missing, or is C's
void check_epilogue_operand(const char* name, const BatchMemory& X, const BatchMemory& C, bool one_type);

}  // namespace rooftile::detail
