// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

/// In which order teams compute the tiles of C.
namespace rooftile::detail {

/// Where a tile of C begins.
struct Origin {
  Index row0;
  Index col0;
};

/// Tiles come in bands of 16 rows of tiles, column by column, so that the teams that run at a time share
/// panels of A and of B in the L2 cache. The teaching rungs, whose threads own one element each, take them
/// row by row, and so do teams whose threads have registers for little more than their sums. The number of a
/// tile fits 32 bits, and so a division does, for which 64 bits would need many registers.
/// @param rank  of the tile in its product
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
