// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/matrix.hpp"

/// Operands as the checks see them: the addresses of their elements, without the element type.
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

/// The memory of the matrices of a batch. A single matrix is a batch of one.
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

/// Checks an operand of an epilogue. Overlap is not checked if X or C is given by pointers.
/// @param one_type  X and C have one element type
/// @throws Error if the memory is null or overlaps C
void check_epilogue_operand(const char* name, const BatchMemory& X, const BatchMemory& C, bool one_type);

}  // namespace rooftile::detail
