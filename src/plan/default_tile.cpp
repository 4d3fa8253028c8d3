// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/default_tile.hpp"

#include <algorithm>
#include <limits>

#include "plan/block_limits.hpp"
#include "plan/describe.hpp"
#include "plan/plan_steps.hpp"
#include "plan/refusal.hpp"
#include "plan/register_blocks.hpp"

namespace rooftile::detail {

namespace {

/// Returns the fastest tile of a rung by the model; zero if no tile has costs and fits a thread block.
/// @param repack  operands are repacked first
TileShape fastest_tile(const Rung& rung, const GemmDesc& desc, const Target& target, bool repack = false) {
  const ModeModel model(target.costs, target.path, target.math);
  TileShape fastest;
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape tile : rung.tiles) {
    if (!is_built(rung, target.path, tile, target.type()) || !too_large(rung, tile, target).empty() ||
        (desc.type == Type::fp8 && !promotes_steps(tile)))
      continue;
    const double seconds =
        kernel_plan_of({rung.kernel, tile, {}, target.math, repack}, desc, {}, target, model).seconds;
    if (seconds > 0 && seconds < least) fastest = tile, least = seconds;
  }
  return fastest;
}

/// Returns the smallest listed tile that contains all of C, or the largest tile.
TileShape tile_around(const Rung& rung, const GemmShape& shape, const Target& target) {
  TileShape largest;
  for (const TileShape tile : rung.tiles) {
    if (!is_built(rung, target.path, tile, target.type())) continue;
    if (shape.m <= tile.bm && shape.n <= tile.bn) return tile;
    largest = tile;
  }
  return largest;
}

}  // namespace

TileShape default_tile(const Rung& rung, const GemmDesc& desc, const Target& target, bool repack) {
  const GemmShape& shape = desc.shape;
  switch (rung.tiles_taken) {
    case Tiles::listed: {
      if (rung.block_threads > 0) return tile_around(rung, shape, target);
      if (const TileShape fastest = fastest_tile(rung, desc, target, repack)) return fastest;
      const auto fits = [&](TileShape tile) {
        return is_built(rung, target.path, tile, target.type()) && too_large(rung, tile, target).empty() &&
               (desc.type != Type::fp8 || promotes_steps(tile));
      };
      TileShape widest;
      for (const TileShape tile : rung.tiles) {
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
}  // namespace rooftile::detail

namespace rooftile {

TileShape default_tile(const Rung& rung, const GemmShape& shape, const Target& target, Index count) {
  return default_tile(rung, describe(shape, target.type(), count), target);
}

}  // namespace rooftile
