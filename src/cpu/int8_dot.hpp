// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cpu/blocks.hpp"

/// Micropanels of int8, widened to 16 bits, in pairs along K. A CPU instruction multiplies two pairs and adds
/// both exact products in 32 bits. A pair occupies the 32 bits of an accumulator.
namespace rooftile::portable {

/// Accumulators that a packed micropanel occupies: (pairs,width).
constexpr Index integers_size(Index width, Index kc) {
  return (kc + 1) / 2 * width;
}

/// Packs micropanels `from` to `to` of all rows of X (rows,kc) into memory, as `pack` does, `integers_size`
/// accumulators each. An odd K is padded with a zero.
/// @param width  MR for A, NR for B, as for float
void pack_integers(const MatrixRef<const std::int8_t>& X, int width, Index from, Index to,
                   std::int32_t* memory);

/// C (mc,nc) = alpha · A (mc,kc) · B (kc,nc) + beta·C, modulo 2³².
/// @pre `pack_integers` packed A and B
void multiply_integers(const Micropanels<std::int32_t>& A, const Micropanels<std::int32_t>& B, Index kc,
                       const MatrixRef<std::int32_t>& C, std::int32_t alpha, std::int32_t beta);

}  // namespace rooftile::portable
