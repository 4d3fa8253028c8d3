// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// The order in which teams compute the tiles of C.
namespace rooftile::detail {

/// The position of a tile's first element in C.
struct Origin {
  Index row0;
  Index col0;
};

/// Returns the origin of a tile. Tiles come in bands of 16 rows of tiles, column by column, so that
/// concurrent teams share panels of A and of B in the L2 cache. The teaching rungs, whose threads own one
/// element each, take tiles row by row. So do kernels whose threads have registers for little more than their
/// sums. The index of a tile fits 32 bits, and so the divisions do; in 64 bits they would need many
/// registers.
/// @param rank  index of the tile in its product
template <class Tile, class T>
ROOFTILE_FUNCTION Origin origin_of_tile(const Tile& tile, const MatrixRef<T>& C, unsigned rank) {
  const auto tiles_n = static_cast<unsigned>((C.cols + tile.bn() - 1) / tile.bn());
  const int sums = tile.tm() * tile.tn();
  if (sums == 1 || sums > 32) return {Index{rank / tiles_n} * tile.bm(), Index{rank % tiles_n} * tile.bn()};
  constexpr unsigned band = 16;
  const auto tiles_m = static_cast<unsigned>((C.rows + tile.bm() - 1) / tile.bm());
  const unsigned first = rank / (band * tiles_n) * band, within = rank - first * tiles_n;
  const unsigned height = tiles_m - first < band ? tiles_m - first : band;
  return {Index{first + within % height} * tile.bm(), Index{within / height} * tile.bn()};
}

}  // namespace rooftile::detail
