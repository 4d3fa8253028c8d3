// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "rooftile/detail/function.hpp"
#include "rooftile/float8.hpp"

namespace rooftile {

/// Rows, columns and steps along K that share a scale of a block of 8-bit floats.
inline constexpr std::int64_t scale_block = 128;

namespace detail {

/// Whether T is an 8-bit floating-point type, const or not.
template <class T>
concept Float8 = std::is_same_v<std::remove_const_t<T>, float8_e4m3> ||
    std::is_same_v<std::remove_const_t<T>, float8_e5m2>;

/// Returns the index of the scale of row or column i, if `scales` scales belong to `extent` rows or columns.
ROOFTILE_FUNCTION constexpr std::int64_t scale_index(std::int64_t i, std::int64_t scales,
                                                     std::int64_t extent) {
  return scales == 1 ? 0 : scales == extent ? i : i / scale_block;
}

}  // namespace detail

/// The scales of a matrix (R,K) or (K,R) of 8-bit floats, in memory that the computing device reads. K is the
/// dimension that the product sums over. An element stands for its value times its scale. Along R, there is
/// one scale for all, for each, or for each 128 rows or columns; along K, one for all or for each 128.
struct Float8Scales {
  const float* data = nullptr;    ///< the address of scale (0,0); null: all scales are 1
  std::int64_t rows = 0;          ///< 1, the rows of the matrix, or ⌈rows/128⌉
  std::int64_t cols = 0;          ///< 1, the columns of the matrix, or ⌈columns/128⌉
  std::int64_t row_stride = 0;    ///< floats from one row of scales to the next
  std::int64_t col_stride = 0;    ///< floats from one column of scales to the next
  std::int64_t batch_stride = 0;  ///< floats from the scales of a batch entry to those of the next; 0: shared

  /// Returns the scales of the transpose.
  ROOFTILE_FUNCTION constexpr Float8Scales transposed() const {
    return {data, cols, rows, col_stride, row_stride, batch_stride};
  }
  /// Returns the scales of batch entry i.
  ROOFTILE_FUNCTION constexpr Float8Scales of_entry(std::int64_t i) const {
    Float8Scales other = *this;
    if (data != nullptr) other.data += i * batch_stride;
    return other;
  }
  /// Returns the scales of a sub-matrix (rows_,cols_) of a matrix (matrix_rows,matrix_cols) from (i,j) on.
  ROOFTILE_FUNCTION constexpr Float8Scales block(std::int64_t i, std::int64_t j, std::int64_t matrix_rows,
                                                 std::int64_t matrix_cols, std::int64_t rows_,
                                                 std::int64_t cols_) const {
    Float8Scales other = *this;
    if (data == nullptr) return other;
    other.data += detail::scale_index(i, rows, matrix_rows) * row_stride +
                  detail::scale_index(j, cols, matrix_cols) * col_stride;
    const auto left = [](std::int64_t scales, std::int64_t extent, std::int64_t of_block) {
      if (scales == 1) return scales;
      return scales == extent ? of_block : (of_block + scale_block - 1) / scale_block;
    };
    other.rows = left(rows, matrix_rows, rows_), other.cols = left(cols, matrix_cols, cols_);
    return other;
  }
  /// Compares all members.
  friend constexpr bool operator==(const Float8Scales&, const Float8Scales&) = default;
};

}  // namespace rooftile
