// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/blocks.hpp"

/// Micropanels of bf16 in pairs along K, which a CPU may have an instruction for: it adds two products to a
/// sum in fp32 where another adds one. A pair lies in the 32 bits of a float.
namespace rooftile::portable {

/// Whether this CPU multiplies pairs.
bool multiplies_pairs();

/// Floats that a micropanel takes: (pairs,width), and behind them what `multiply_pairs` asks of its
/// exponents.
constexpr Index pairs_size(Index width, Index kc) {
  return (kc + 1) / 2 * width + pack_slack;
}

/// Copies micropanels `from` to `to` of all rows of X (rows,kc) into memory, as `pack` does, each of
/// `pairs_size`; with a zero behind an odd K.
/// @param width  MR for A, NR for B
void pack_pairs(const MatrixRef<const bfloat16>& X, int width, Index from, Index to, float* memory);

/// C (mc,nc) = alpha · A (mc,kc) · B (kc,nc) + beta·C. @pre both are packed in pairs
void multiply_pairs(const Micropanels<float>& A, const Micropanels<float>& B, Index kc,
                    const MatrixRef<float>& C, float alpha, float beta);

}  // namespace rooftile::portable
