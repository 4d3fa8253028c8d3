// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cpu/blocks.hpp"

/// Micropanels of int8, widened to 16 bits, in pairs along K: a CPU has an instruction that multiplies two
/// pairs and adds both products, which are exact, in 32 bits. A pair lies in the 32 bits of a sum.
namespace rooftile::portable {

/// Sums' elements that a micropanel takes: (pairs,width).
constexpr Index integers_size(Index width, Index kc) {
  return (kc + 1) / 2 * width;
}

/// Copies micropanels `from` to `to` of all rows of X (rows,kc) into memory, as `pack` does, each of
/// `integers_size`; with a zero behind an odd K.
/// @param width  MR for A, NR for B, as of float
void pack_integers(const MatrixRef<const std::int8_t>& X, int width, Index from, Index to,
                   std::int32_t* memory);

/// C (mc,nc) = alpha · A (mc,kc) · B (kc,nc) + beta·C, modulo 2³². @pre both are packed by `pack_integers`
void multiply_integers(const Micropanels<std::int32_t>& A, const Micropanels<std::int32_t>& B, Index kc,
                       const MatrixRef<std::int32_t>& C, std::int32_t alpha, std::int32_t beta);

}  // namespace rooftile::portable
