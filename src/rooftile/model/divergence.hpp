// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::model {

/// One bounds check of the tiled kernel, counted over all warps and phases. A warp diverges if some of its
/// threads pass the check and others fail.
struct Divergence {
  Count checks = 0;          ///< warps that make the check, in all phases
  Count divergent = 0;       ///< checks that diverge
  Count edge_checks = 0;     ///< checks in blocks that extend past the edge in the operand's direction
  Count edge_divergent = 0;  ///< edge checks that diverge

  /// Returns the share of divergent checks.
  constexpr double fraction() const { return ratio(divergent, checks); }
  /// Returns the share of divergent checks at the edges.
  constexpr double edge_fraction() const { return ratio(edge_divergent, edge_checks); }
};

/// Divergence of the tiled kernel with bounds checks.
struct TiledDivergence {
  Count warps_per_block = 0;  ///< warps of a block; the last one may be partial
  Count phases = 0;           ///< steps along K
  Count blocks = 0;           ///< blocks of the grid
  Count edge_blocks_a = 0;    ///< blocks that extend below the rows of A
  Count edge_blocks_b = 0;    ///< blocks that extend past the columns of B
  Count warp_phases = 0;      ///< blocks × warps × phases
  Divergence a;               ///< of the load of A's tile
  Divergence b;               ///< of the load of B's tile
  Divergence store;           ///< of the store of C, once for each warp; edge blocks: any direction

  /// Returns the share of divergent loads, two in each warp-phase.
  constexpr double fraction() const { return ratio(a.divergent + b.divergent, a.checks + b.checks); }
};

namespace detail {

/// Warps of a tile×tile block that diverge if threads below `rows` and `cols` are valid. Warps count row by
/// row.
constexpr Count cut_warps(Count tile, Count warp, Count rows, Count cols) {
  const auto valid_before = [&](Count thread) {
    const Count row = thread / tile;
    return row < rows ? row * cols + std::min(thread % tile, cols) : rows * cols;
  };
  Count cut = 0;
  for (Count first = 0; first < tile * tile; first += warp) {
    const Count last = std::min(first + warp, tile * tile);
    const Count valid = valid_before(last) - valid_before(first);
    if (valid > 0 && valid < last - first) ++cut;
  }
  return cut;
}

/// A dimension covered by tiles: whole ones, then perhaps a partial one.
struct Cover {
  Count whole;
  Count rest;  ///< valid part of the last tile; 0: the tiles are whole

  constexpr Cover(Count extent, Count tile) : whole(extent / tile), rest(extent % tile) {}
  constexpr Count edge() const { return rest > 0 ? 1 : 0; }
  constexpr Count tiles() const { return whole + edge(); }
};

/// Divergent checks of an operand's tile along the phases, for one block.
constexpr Count cut_along(const Cover& phases, Count valid_across, Count tile, Count warp,
                          bool phases_are_rows) {
  const auto cut = [&](Count along) {
    return phases_are_rows ? cut_warps(tile, warp, along, valid_across)
                           : cut_warps(tile, warp, valid_across, along);
  };
  return phases.whole * cut(tile) + phases.edge() * cut(phases.rest);
}

/// Divergence of the load of an operand's tile.
/// @param across  the direction of the operand's edge blocks
/// @param others  blocks for each tile of `across`
constexpr Divergence operand_divergence(const Cover& across, Count others, const Cover& phases, Count warps,
                                        Count tile, Count warp, bool phases_are_rows) {
  Divergence d;
  d.checks = across.tiles() * others * warps * phases.tiles();
  d.edge_checks = across.edge() * others * warps * phases.tiles();
  d.edge_divergent = across.edge() * others * cut_along(phases, across.rest, tile, warp, phases_are_rows);
  d.divergent =
      across.whole * others * cut_along(phases, tile, tile, warp, phases_are_rows) + d.edge_divergent;
  return d;
}

}  // namespace detail

namespace detail {

/// Checks that the number of checks fits a Count. @throws Error  if not
constexpr void require_countable(Count rows, Count cols, Count warps, Count phases, const GemmShape& shape) {
  Count checks = 2;
  for (const Count factor : {rows, cols, warps, phases}) {
    if (__builtin_mul_overflow(checks, factor, &checks)) {
      throw Error(rooftile::detail::text("too many checks to count (", shape.m, 'x', shape.n, 'x', shape.k,
                                         "): take a smaller product, or a larger tile"));
    }
  }
}

}  // namespace detail

/// Returns the divergence of the tiled kernel with bounds checks (Kirk & Hwu, "Boundary checks").
///
/// Thread (x,y) of a tile×tile block, x fastest, loads A[row][phase·tile + x] and B[phase·tile + y][col] and
/// stores C[row][col], each within bounds.
/// @throws Error  for an empty product, tile or warp, a tile above 1,024, or too many checks to count
constexpr TiledDivergence tiled_divergence(const GemmShape& shape, Count tile, Count warp = 32) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1 || tile < 1 || tile > 1024 || warp < 1 || warp > unlimited) {
    throw Error(rooftile::detail::text("invalid tiled product (", shape.m, 'x', shape.n, 'x', shape.k,
                                       ", tiles of ", tile, ", warps of ", warp,
                                       "): give positive numbers, and at most 1024 as tile"));
  }
  const detail::Cover rows(shape.m, tile), cols(shape.n, tile), phases(shape.k, tile);
  TiledDivergence d;
  d.warps_per_block = ceil_div(tile * tile, warp);
  d.phases = phases.tiles();
  detail::require_countable(rows.tiles(), cols.tiles(), d.warps_per_block, d.phases, shape);
  d.blocks = rows.tiles() * cols.tiles();
  d.edge_blocks_a = rows.edge() * cols.tiles();
  d.edge_blocks_b = cols.edge() * rows.tiles();
  d.warp_phases = d.blocks * d.warps_per_block * d.phases;
  d.a = detail::operand_divergence(rows, cols.tiles(), phases, d.warps_per_block, tile, warp, false);
  d.b = detail::operand_divergence(cols, rows.tiles(), phases, d.warps_per_block, tile, warp, true);

  d.store.checks = d.blocks * d.warps_per_block;
  d.store.edge_checks = (d.blocks - rows.whole * cols.whole) * d.warps_per_block;
  d.store.edge_divergent = rows.edge() * cols.whole * detail::cut_warps(tile, warp, rows.rest, tile) +
                           rows.whole * cols.edge() * detail::cut_warps(tile, warp, tile, cols.rest) +
                           rows.edge() * cols.edge() * detail::cut_warps(tile, warp, rows.rest, cols.rest);
  d.store.divergent = d.store.edge_divergent;
  return d;
}

/// Divergence of a one-dimensional launch over `n` elements with the check `i < n`.
struct VectorDivergence {
  Count threads = 0;    ///< launched
  Count warps = 0;      ///< launched
  Count divergent = 0;  ///< warps that diverge
};
/// Returns the divergence of a one-dimensional launch.
/// @param warp  threads of a warp
/// @throws Error  if an argument is not positive or too large
constexpr VectorDivergence vector_divergence(Count n, Count block_threads, Count warp = 32) {
  if (n < 1 || block_threads < 1 || warp < 1 || std::max({n, block_threads, warp}) > unlimited) {
    throw Error(rooftile::detail::text("invalid vector (", n, " elements, blocks of ", block_threads,
                                       ", warps of ", warp, "): give 1 to ", unlimited));
  }
  const Count blocks = ceil_div(n, block_threads);
  const Count in_last_block = n - (blocks - 1) * block_threads;
  const Count last_warp_first = in_last_block / warp * warp;
  const Count last_warp_threads = std::min(warp, block_threads - last_warp_first);
  const Count active = in_last_block - last_warp_first;
  return {blocks * block_threads, blocks * ceil_div(block_threads, warp),
          active > 0 && active < last_warp_threads ? 1 : 0};
}

/// Returns the warps of a block that diverge at `threadIdx.x / granule > threshold`.
/// @throws Error  if an argument is out of range
constexpr Count branch_divergence(Count block_threads, Count threshold, Count granule = 1, Count warp = 32) {
  if (block_threads < 1 || threshold < 0 || granule < 1 || warp < 1 ||
      std::max({block_threads, threshold, granule, warp}) > unlimited) {
    throw Error(rooftile::detail::text("invalid branch (", block_threads, " threads, threshold ", threshold,
                                       ", granule ", granule, ", warps of ", warp, "): give 1 to ",
                                       unlimited));
  }
  const Count first_taken = (threshold + 1) * granule;
  return first_taken < block_threads && first_taken % warp != 0 ? 1 : 0;
}

/// Returns the share of issue slots that a divergent warp loses: each path runs while the lanes of the others
/// idle.
/// @param paths  of the warp, equally long and with equal numbers of lanes
/// @throws Error  if there is no path
constexpr double lost_issue_slots(Count paths) {
  if (paths < 1) throw Error(rooftile::detail::text("too few paths (", paths, "): give 1 or more"));
  return ratio(paths - 1, paths);
}

}  // namespace rooftile::model
