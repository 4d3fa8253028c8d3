// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rooftile/matrix.hpp"

namespace rooftile::testing {

/// The layout of an operand: row-major or column-major. `strided` and `strided_column` have no unit stride.
/// `reversed` stores the last row first. `mirrored` stores the last column first.
enum class Storage { row, column, strided, strided_column, reversed, mirrored };

inline constexpr const char* storage_names[] = {"row",      "column",  "strided", "strided_column",
                                                "reversed", "mirrored"};

inline const char* name_of(Storage s) {
  return storage_names[static_cast<std::size_t>(s)];
}

/// The positions of a matrix's elements, relative to the lowest one.
struct Lattice {
  Index row_stride, col_stride;
  Index first;  ///< offset of element (0,0)
  Index reach;  ///< offset behind the highest element

  /// @param pad  elements between rows or columns
  Lattice(Storage storage, Index rows, Index cols, Index pad) {
    const bool by_columns = storage == Storage::column || storage == Storage::strided_column;
    const Index step = storage == Storage::strided || storage == Storage::strided_column ? 2 : 1;
    row_stride = by_columns ? step : step * (cols + pad);
    col_stride = by_columns ? step * (rows + pad) : step;
    const Index down = (rows - 1) * row_stride, along = (cols - 1) * col_stride;
    reach = rows == 0 || cols == 0 ? 0 : down + along + 1;
    first = reach == 0 ? 0 : storage == Storage::reversed ? down : storage == Storage::mirrored ? along : 0;
    if (storage == Storage::reversed) row_stride = -row_stride;
    if (storage == Storage::mirrored) col_stride = -col_stride;
  }
};

}  // namespace rooftile::testing
