// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "numerics/moduli.hpp"
#include "numerics/scale.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/problem.hpp"

/// What fp64 from products of int8 takes of memory on a GPU.
namespace rooftile::detail {

/// Chunks of C that are computed one by one, with planes of residues modulo all numbers. Every step is exact,
/// and all of A and B decide on the number of moduli, so that C's bits do not depend on the chunks.
struct ResidueChunks {
  /// Of a chunk by itself, of complex numbers half as many rows, and of the smallest that is tried.
  static constexpr Index default_rows = 16384, default_columns = 4096, min_extent = 256;
  static constexpr std::size_t default_bytes = std::size_t{8} << 30;

  GemmShape shape;  ///< of the product
  Index rows;       ///< of a chunk
  Index columns;
  int products = 1;  ///< of residues modulo one number, with planes of their own: of complex numbers 3

  /// Of a product, as large as the memory allows: first its columns give way, then its rows, for each of
  /// whose chunks B's residues are computed again.
  static constexpr ResidueChunks within(std::size_t bytes, const GemmShape& shape, int products = 1) {
    ResidueChunks chunks{shape, std::min(shape.m, products > 1 ? default_rows / 2 : default_rows),
                         std::min(shape.n, default_columns), products};
    const std::size_t allowed = std::min(bytes, default_bytes);
    while (chunks.bytes() > allowed && chunks.columns > min_extent) chunks.columns = half(chunks.columns);
    while (chunks.bytes() > allowed && chunks.rows > min_extent) chunks.rows = half(chunks.rows);
    return chunks;
  }

  /// Bytes of the workspace; none where there is nothing to multiply.
  constexpr std::size_t bytes() const {
    if (shape.k == 0) return 0;
    const auto each = [](Index count, std::size_t size) { return copies_bytes(1, 1, count, size); };
    const auto scales = [&](Index lines) {
      return each(lines, sizeof(residues::RowScale)) + each(lines, sizeof(int));
    };
    return seen_bytes + scales(shape.m) + scales(shape.n) + plane_bytes(rows, shape.k) +
           plane_bytes(columns, shape.k) + plane_bytes(rows, columns);
  }
  /// Of planes (width,length) of residues, whose rows begin at multiples of 128 bytes.
  constexpr std::size_t plane_bytes(Index width, Index length) const {
    return copies_bytes(Index{residues::max_moduli} * products, width, length, 1);
  }
  /// Of what the guard has seen.
  static constexpr std::size_t seen_bytes = WorkspaceParts::rounded(1);

 private:
  static constexpr Index half(Index extent) { return std::max(min_extent, (extent / 2 + 127) / 128 * 128); }
};

}  // namespace rooftile::detail
