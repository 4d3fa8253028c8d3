// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"
#include "rooftile/problem.hpp"

/// How stream-K deals out C: most tiles to a block each, the last ones, which would not fill the
/// SMs, to many blocks in even work units of their steps along K (Osama et al., "Stream-K", 2023).
namespace rooftile::detail {

/// A block's steps [first,last) of one tile of C.
struct StreamPart {
  unsigned tile;  ///< counted through all products of a batch
  Index first;
  Index last;
  unsigned sum;  ///< which of the sums is the part's; no matter where it is all of the tile

  ROOFTILE_FUNCTION bool is_whole(Index steps) const { return first == 0 && last == steps; }
  ROOFTILE_FUNCTION Index size() const { return last - first; }
};

struct Stream {
  unsigned whole = 0;   ///< tiles, the first ones, of all products, that one block computes
  unsigned shared = 0;  ///< tiles after them
  unsigned units = 0;   ///< of work that those are dealt out in, each a block's
  Index steps = 0;      ///< of a tile along K

  /// Blocks in all: one for each whole tile, then one for each work unit.
  ROOFTILE_FUNCTION unsigned blocks() const { return whole + units; }

  /// A part is at unit + shared tile among the sums: from part to part one of them grows or both do. So a
  /// tile's lie behind each other, in the order of K.
  ROOFTILE_FUNCTION unsigned sums() const { return shared > 0 ? shared + units : 0; }

  /// The first of a block's steps, counted through all tiles.
  ROOFTILE_FUNCTION Index begin(unsigned block) const {
    if (block <= whole) return block * steps;
    return whole * steps + shared * steps * (block - whole) / units;
  }

  /// The work unit, of all, that a step of the shared tiles belongs to.
  ROOFTILE_FUNCTION unsigned unit_at(Index step) const {
    return static_cast<unsigned>(((step + 1) * units - 1) / (shared * steps));
  }

  /// A block's part that begins with a step, counted through all tiles. @pre begin(block) <= step <
  /// begin(block + 1)
  ROOFTILE_FUNCTION StreamPart part(unsigned block, Index step) const {
    const auto tile = static_cast<unsigned>(step / steps);
    const Index tile0 = tile * steps, rest = begin(block + 1) - tile0;
    return {tile, step - tile0, rest < steps ? rest : steps, block + tile - 2 * whole};
  }
};

/// The operands of a part: the columns of A and the rows of B that its steps are. The first step is the short
/// one where bk does not divide K.
template <class T>
struct StreamOperands {
  MatrixRef<const T> A;
  MatrixRef<const T> B;
};
template <class T>
ROOFTILE_FUNCTION StreamOperands<T> steps_of(const GemmArgs<T>& args, const StreamPart& part, Index steps,
                                             int bk) {
  const auto& [alpha, A, B, beta, C] = args;
  const Index missing = steps * bk - A.cols;
  const Index k0 = part.first == 0 ? 0 : part.first * bk - missing, k = part.last * bk - missing - k0;
  return {A.block(0, k0, A.rows, k), B.block(k0, 0, k, B.cols)};
}

}  // namespace rooftile::detail
