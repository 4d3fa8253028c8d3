// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/blocks.hpp"

/// Micropanels of bf16 in pairs along K. Some CPUs have an instruction that adds both products of a pair to
/// an fp32 accumulator. A pair occupies the 32 bits of a float.
namespace rooftile::portable {

/// Whether this CPU has an instruction that multiplies pairs.
bool multiplies_pairs();

/// Floats of a packed micropanel: (pairs,width), then `pack_slack` floats. The first of these holds the
/// smallest exponent, which `multiply_pairs` reads.
constexpr Index pairs_size(Index width, Index kc) {
  return (kc + 1) / 2 * width + pack_slack;
}

/// Packs micropanels `from` to `to` of all rows of X (rows,kc) into memory, as `pack` does, `pairs_size`
/// floats each. An odd K is padded with a zero.
/// @param width  MR for A, NR for B
void pack_pairs(const MatrixRef<const bfloat16>& X, int width, Index from, Index to, float* memory);

/// C (mc,nc) = alpha · A (mc,kc) · B (kc,nc) + beta·C. @pre A and B are packed in pairs
void multiply_pairs(const Micropanels<float>& A, const Micropanels<float>& B, Index kc,
                    const MatrixRef<float>& C, float alpha, float beta);

}  // namespace rooftile::portable
