// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/common/vector.hpp"
#include "device/common/verbs.hpp"
#include "rooftile/matrix.hpp"
#include "rooftile/team_plan.hpp"

/// Copies operands to the scratch memory of a user's team. Padded rows avoid bank conflicts.
namespace rooftile::detail {

/// A thread of the group that computes a product.
struct GroupThread {
  int rank;  ///< index of the thread
  int size;  ///< number of threads
};

/// Returns the elements of a padded copy of a (rows,cols) matrix.
template <class T>
ROOFTILE_FUNCTION constexpr Index staged_elements(Index rows, Index cols) {
  return staged_elements(rows, cols, sizeof(T));
}
/// Returns the bytes of a padded copy of a (rows,cols) matrix.
template <class T>
ROOFTILE_FUNCTION constexpr std::size_t staged_bytes(Index rows, Index cols) {
  return static_cast<std::size_t>(staged_elements<T>(rows, cols)) * sizeof(T);
}

/// Copies `rows` lines of `length` elements. Each access copies n elements.
template <int n, class T>
ROOFTILE_FUNCTION void copy_lines(const GroupThread& thread, const T* from, Index from_pitch, T* to,
                                  Index to_pitch, int rows, int length) {
  int lanes = 1;  // threads per line; a power of two avoids a division
  while (lanes < 32 && 2 * lanes <= thread.size && lanes * n < length) lanes *= 2;
  const int lines_at_once = thread.size / lanes;
  if (thread.rank / lanes >= lines_at_once) return;
  for (int i = thread.rank / lanes; i < rows; i += lines_at_once) {
    for (int j = thread.rank % lanes * n; j < length; j += lanes * n) {
      if constexpr (copies_are_asynchronous && n * sizeof(T) >= 4) {
        begin_copy<n>(to + i * to_pitch + j, from + i * from_pitch + j, true);
      } else {
        using Piece = Vector<T, n>;
        *reinterpret_cast<Piece*>(to + i * to_pitch + j) =
            *reinterpret_cast<const Piece*>(from + i * from_pitch + j);
      }
    }
  }
}

/// Starts to copy an operand, asynchronously where possible. @return the copy, whose lines are contiguous
template <class T>
ROOFTILE_FUNCTION MatrixRef<const T> begin_stage(const GroupThread& thread, const MatrixRef<const T>& X,
                                                 T* copy) {
  constexpr int width = 16 / sizeof(T);
  const bool by_rows = X.col_stride == 1;
  const MatrixRef<const T> lines = by_rows ? X : X.transposed();
  const Index pitch = staged_pitch(lines.cols, sizeof(T));
  const int rows = static_cast<int>(lines.rows), length = static_cast<int>(lines.cols);
  const bool vectors = lines.col_stride == 1 && length % width == 0 && lines.row_stride % width == 0 &&
                       reinterpret_cast<std::uintptr_t>(lines.data) % 16 == 0;
  if (vectors) {
    copy_lines<width>(thread, lines.data, lines.row_stride, copy, pitch, rows, length);
  } else if (lines.col_stride == 1) {
    copy_lines<1>(thread, lines.data, lines.row_stride, copy, pitch, rows, length);
  } else {
    for (int i = thread.rank; i < rows * length; i += thread.size)
      copy[i / length * pitch + i % length] = lines(i / length, i % length);
  }
  MatrixRef<const T> staged = lines.at(copy);
  staged.row_stride = pitch, staged.col_stride = 1;
  return by_rows ? staged : staged.transposed();
}

}  // namespace rooftile::detail
