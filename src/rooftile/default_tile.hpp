// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "rooftile/detail/register_blocks.hpp"
#include "rooftile/detail/vectors.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/refusal.hpp"

namespace rooftile {

namespace detail {

/// The tile of a register-blocked rung that takes least time by the model; the first of equals.
inline TileShape fastest_tile(const Rung& rung, const GemmShape& shape, const Target& target, Index count = 1,
                              VectorCopies copies = {}) {
  TileShape fastest;
  double min_cost = std::numeric_limits<double>::infinity();
  for (const TileShape& tile : rung.tiles) {
    if (!is_built(rung, target.path, tile, target.type())) continue;
    const double cost = cycles(target.costs, rung, tile, shape, target.sms, target.type(), count, copies);
    if (cost < min_cost && too_large(rung, tile, target).empty()) fastest = tile, min_cost = cost;
  }
  return fastest ? fastest : rung.default_tile;
}

/// The tile with which the SMs finish first: all tiles take rounds of as many as there are, and a
/// round as long as a tile's elements take at the tile's speed.
inline TileShape tile_by_rounds(const Rung& rung, const GemmShape& shape, int sms, Index count) {
  TileShape best;
  double min_time = 0;
  for (std::size_t i = 0; i < rung.tiles.size(); ++i) {
    const TileShape tile = rung.tiles[i];
    const auto rounds = static_cast<double>((count * tile_count(tile, shape) + sms - 1) / sms);
    const double time = rounds * tile.bm * tile.bn / rung.speeds[i];
    if (!best || time < min_time) best = tile, min_time = time;
  }
  return best;
}

/// Of those listed, the smallest that all of C fits, else the largest.
inline TileShape tile_around(const Rung& rung, const GemmShape& shape, const Target& target) {
  TileShape largest;
  for (const TileShape& tile : rung.tiles) {
    if (!is_built(rung, target.path, tile, target.type())) continue;
    if (shape.m <= tile.bm && shape.n <= tile.bn) return tile;
    largest = tile;
  }
  return largest;
}

}  // namespace detail

/// The tile that a kernel takes when the caller names none: of those listed the one that fills the
/// SMs best, where the tiles' speeds are known, else the default one, or the widest where the
/// device's blocks are too small for it.
/// @param count   of products of this shape that run together
/// @param copies  how the operands lie for threads that copy them
inline TileShape default_tile(const Rung& rung, const GemmShape& shape, const Target& target, Index count = 1,
                              detail::VectorCopies copies = {}) {
  switch (rung.tiles_taken) {
    case Tiles::listed: {
      if (rung.block_threads > 0) return detail::tile_around(rung, shape, target);
      if (rung.max_stages > 0) return detail::fastest_tile(rung, shape, target, count, copies);
      if (!rung.speeds.empty() && target.sms > 0)
        return detail::tile_by_rounds(rung, shape, target.sms, count);
      const auto fits = [&](TileShape tile) { return detail::too_large(rung, tile, target).empty(); };
      TileShape widest;
      for (const TileShape& tile : rung.tiles) {
        if (fits(tile) && tile.bm * tile.bn > widest.bm * widest.bn) widest = tile;
      }
      return widest && !fits(rung.default_tile) ? widest : rung.default_tile;
    }
    case Tiles::any_square:
      return widest_square_tile(target.limits, target.element_size());
    case Tiles::whole_c:
      return cta(static_cast<int>(std::min<Index>(shape.m, target.limits.threads)),
                 static_cast<int>(std::min<Index>(shape.n, target.limits.threads)));
    case Tiles::of_caches:
      return target.cache_blocks;
  }
  return {};
}

}  // namespace rooftile
