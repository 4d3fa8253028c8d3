// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "rooftile/detail/function.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// Which operands a GPU's threads copy 16 bytes at a time.
namespace rooftile::detail {

/// Whether a matrix is contiguous along its rows, and all that is read of them comes in whole vectors of 16
/// bytes.
template <class T>
ROOFTILE_FUNCTION bool has_whole_vectors(const MatrixRef<const T>& X) {
  constexpr int width = 16 / sizeof(T);
  return X.col_stride == 1 && X.row_stride % width == 0 && X.cols % width == 0 &&
         reinterpret_cast<std::uintptr_t>(X.data) % 16 == 0;
}

/// Of which operands threads copy vectors to where panels of fp32 have them: of A along M, of B along N.
struct VectorCopies {
  bool a = true;
  bool b = true;

  constexpr int missing() const { return !a + !b; }
};

/// The same for each product of a batch.
template <class T>
VectorCopies vector_copies(const BatchArgs<T>& args) {
  constexpr Index width = 16 / sizeof(T);
  const auto& [first, batch] = args;
  return {has_whole_vectors(first.A.transposed()) && batch.stride_a % width == 0,
          has_whole_vectors(first.B) && batch.stride_b % width == 0};
}

/// The same for operands at aligned addresses whose rows, or columns, lie one behind the other.
constexpr VectorCopies vector_copies(const GemmShape& shape, std::size_t element_size,
                                     bool a_is_row_major = true, bool b_is_row_major = true) {
  const auto width = static_cast<Index>(16 / element_size);
  return {!a_is_row_major && shape.m % width == 0, b_is_row_major && shape.n % width == 0};
}

/// Cycles that it takes to lay out anew the operands without vectors: of starting a kernel more, and of
/// reading and writing them at about 1,700 bytes a cycle, measured on an H200.
inline double relayout_cycles(const GemmShape& shape, VectorCopies copies, std::size_t element_size,
                              Index count) {
  if (copies.missing() == 0) return 0;
  const Index elements = count * shape.k * ((copies.a ? 0 : shape.m) + (copies.b ? 0 : shape.n));
  return 6000 + 2.0 * static_cast<double>(elements) * static_cast<double>(element_size) / 1700;
}

/// How much longer a tile takes whose panels' elements are copied one by one: by 6 % where 128 columns use
/// each element of A, or 128 rows each of B, and by twice as much where 64 or fewer do. Measured there, too.
inline double slowdown_without(VectorCopies copies, TileShape s) {
  const auto copied_for = [](int users) { return 7.7 / std::max(users, 64); };
  return 1 + (copies.a ? 0 : copied_for(s.bn)) + (copies.b ? 0 : copied_for(s.bm));
}

}  // namespace rooftile::detail
