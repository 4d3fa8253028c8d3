// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include "rooftile/matrix.hpp"

namespace rooftile::gpu {

/// A block of a matrix.
struct Block {
  Index row = 0, col = 0, rows = 0, cols = 0;

  constexpr bool empty() const { return rows == 0 || cols == 0; }
  constexpr double elements() const { return static_cast<double>(rows) * static_cast<double>(cols); }
  friend constexpr bool operator==(const Block&, const Block&) = default;
};

/// The memory layout of a matrix: lines with contiguous elements.
template <class T>
struct Lines {
  T* data;
  Index count;    ///< number of lines
  Index length;   ///< elements of a line
  Index pitch;    ///< elements from one line to the next
  bool are_rows;  ///< whether lines are rows, or columns

  constexpr Lines block(const Block& b) const {
    return are_rows ? Lines{data + b.row * pitch + b.col, b.rows, b.cols, pitch, true}
                    : Lines{data + b.col * pitch + b.row, b.cols, b.rows, pitch, false};
  }
  /// The elements from `first` on of `lines` lines from `line` on.
  constexpr Lines part(Index line, Index lines, Index first, Index elements) const {
    return {data + line * pitch + first, lines, elements, pitch, are_rows};
  }
};

/// The lines of a matrix, if it has a contiguous dimension and its lines do not overlap. If rows and columns
/// both qualify, the longer lines are used.
template <class T>
constexpr std::optional<Lines<T>> lines_of(const MatrixRef<T>& X) {
  const auto are_lines = [](Index step, Index length, Index pitch, Index count) {
    return (length <= 1 || step == 1) && (count <= 1 || pitch >= length);
  };
  const bool columns = are_lines(X.row_stride, X.rows, X.col_stride, X.cols);
  const bool rows = are_lines(X.col_stride, X.cols, X.row_stride, X.rows);
  if (rows && (!columns || X.cols > X.rows)) return Lines<T>{X.data, X.rows, X.cols, X.row_stride, true};
  if (columns) return Lines<T>{X.data, X.cols, X.rows, X.col_stride, false};
  return std::nullopt;
}

/// Pitch of a copy in elements: lines start at multiples of 256 bytes.
template <class T>
constexpr Index copy_pitch(Index length) {
  constexpr Index unit = 256 / static_cast<Index>(sizeof(T));
  return (length + unit - 1) / unit * unit;
}

/// Calls f(line, lines, first, elements) for parts of lines with at most `max_elements` elements each.
template <class T, class F>
void for_each_chunk(const Lines<T>& all, Index max_elements, const F& f) {
  const Index elements = std::min(all.length, max_elements);
  const Index lines = std::max<Index>(1, max_elements / std::max<Index>(1, elements));
  for (Index line = 0; line < all.count; line += lines) {
    for (Index first = 0; first < all.length; first += elements)
      f(line, std::min(lines, all.count - line), first, std::min(elements, all.length - first));
  }
}

}  // namespace rooftile::gpu
