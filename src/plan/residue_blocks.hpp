// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "numerics/moduli.hpp"
#include "numerics/scale.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/problem.hpp"

/// The workspace of fp64 from int8 products on a CPU.
namespace rooftile::detail {

/// Blocks of C that threads compute one by one, in panels of K. The bits of C do not depend on the blocks,
/// since each step is exact.
struct ResidueBlocks {
  static constexpr Index max_rows = 128, max_k = 512, default_columns = 128, min_columns = 8;
  /// Rows that packing may add, since it rounds them up to a multiple of the micro-tile.
  static constexpr Index pack_slack = 64;

  GemmShape shape;  ///< of the product
  Index columns;    ///< of a block
  int parts = 1;    ///< real numbers of an element

  /// Returns the extents of the largest block and its panel.
  constexpr GemmShape block() const {
    return {std::min(max_rows, shape.m), std::min(columns, shape.n), std::min(max_k, shape.k)};
  }
  /// The number of blocks along M and along N.
  constexpr Index count_m() const { return (shape.m - 1) / max_rows + 1; }
  constexpr Index count_n() const { return (shape.n - 1) / columns + 1; }

  /// Returns the planes of residues of C: one for each modulus, or three for complex numbers.
  constexpr Index planes() const { return residues::max_moduli * (parts > 1 ? 3 : 1); }

  /// Elements of a thread's buffers for A and B: integers (for each real part), residues of one plane, and
  /// packed residues in pairs.
  constexpr Index elements_a() const { return block().m * block().k; }
  constexpr Index elements_b() const { return block().n * block().k; }
  constexpr Index packed_a() const { return (block().m + pack_slack) * ((block().k + 1) / 2); }
  constexpr Index packed_b() const { return (block().n + pack_slack) * ((block().k + 1) / 2); }
  /// Elements of the sums.
  constexpr Index elements_c() const { return block().m * block().n; }

  /// Returns the bytes of a thread's workspace. `WorkspaceParts` aligns each part to 1,024 bytes.
  constexpr std::size_t bytes() const {
    const auto of = [](Index elements, std::size_t size) {
      return WorkspaceParts::rounded(static_cast<std::size_t>(elements) * size);
    };
    constexpr auto sum = sizeof(std::int32_t);
    return of(parts * elements_a(), sizeof(double)) + of(parts * elements_b(), sizeof(double)) +
           of(elements_a(), 1) + of(elements_b(), 1) + of(packed_a(), sum) + of(packed_b(), sum) +
           of(elements_c(), sum) + of(planes() * elements_c(), 1);
  }
};

/// Returns the bytes of the scales of the rows of A and the columns of B.
constexpr std::size_t residue_scales_bytes(const GemmShape& shape) {
  return copies_bytes(1, 1, shape.m, sizeof(residues::RowScale)) +
         copies_bytes(1, 1, shape.n, sizeof(residues::RowScale));
}

}  // namespace rooftile::detail
