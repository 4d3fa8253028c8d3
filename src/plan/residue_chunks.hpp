// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "numerics/moduli.hpp"
#include "numerics/scale.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/problem.hpp"

/// The workspace of fp64 from int8 products on a GPU.
namespace rooftile::detail {

/// Chunks of C (rows,columns) that are computed one by one, with planes of residues for all moduli. The bits
/// of C do not depend on the chunks: each step is exact, and the guard reads all of A and B.
struct ResidueChunks {
  /// Default and minimum extents of a chunk. Complex chunks have half as many rows.
  static constexpr Index default_rows = 16384, default_columns = 4096, min_extent = 256;
  static constexpr std::size_t default_bytes = std::size_t{8} << 30;

  GemmShape shape;  ///< of the product
  Index rows;       ///< of a chunk
  Index columns;
  int products = 1;  ///< int8 products for each modulus, each with its planes: 3 for complex numbers

  /// Returns the largest chunks that fit the memory. The columns are reduced first, then the rows: each chunk
  /// of rows computes the residues of B again.
  static constexpr ResidueChunks within(std::size_t bytes, const GemmShape& shape, int products = 1) {
    ResidueChunks chunks{shape, std::min(shape.m, products > 1 ? default_rows / 2 : default_rows),
                         std::min(shape.n, default_columns), products};
    const std::size_t allowed = std::min(bytes, default_bytes);
    while (chunks.bytes() > allowed && chunks.columns > min_extent) chunks.columns = half(chunks.columns);
    while (chunks.bytes() > allowed && chunks.rows > min_extent) chunks.rows = half(chunks.rows);
    return chunks;
  }

  /// Returns the bytes of the workspace; 0 if K is 0.
  constexpr std::size_t bytes() const {
    if (shape.k == 0) return 0;
    const auto each = [](Index count, std::size_t size) { return copies_bytes(1, 1, count, size); };
    const auto scales = [&](Index lines) {
      return each(lines, sizeof(residues::RowScale)) + each(lines, sizeof(int));
    };
    return seen_bytes + scales(shape.m) + scales(shape.n) + plane_bytes(rows, shape.k) +
           plane_bytes(columns, shape.k) + plane_bytes(rows, columns);
  }
  /// Returns the bytes of the planes (width,length) of residues, with rows at multiples of 128 bytes.
  constexpr std::size_t plane_bytes(Index width, Index length) const {
    return copies_bytes(Index{residues::max_moduli} * products, width, length, 1);
  }
  /// Bytes of the guard's result.
  static constexpr std::size_t seen_bytes = WorkspaceParts::rounded(1);

 private:
  static constexpr Index half(Index extent) { return std::max(min_extent, (extent / 2 + 127) / 128 * 128); }
};

}  // namespace rooftile::detail
