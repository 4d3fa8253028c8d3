// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/gemm_plan.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::detail::hopper {

/// The work of a batch: tiles of C and, if these are too few for the SMs, splits of K. Each split of each
/// batch entry is a plane of results.
struct WarpgroupWork {
  int tiles_m;
  int tiles_n;
  int k_blocks;     ///< steps of BK along K
  int split_steps;  ///< steps of one split, at most
  int splits;
  int products = 1;
  int a_planes = 0;  ///< TMA planes from one entry's A to the next; 0: shared
  int b_planes = 0;
  ClusterShape cluster = {};

  struct Item {
    int tile_m, tile_n, split, product;
  };

  ROOFTILE_FUNCTION int tiles() const { return tiles_m * tiles_n; }
  ROOFTILE_FUNCTION int planes() const { return products * splits; }
  ROOFTILE_FUNCTION int plane(const Item& item) const { return item.product * splits + item.split; }

  ROOFTILE_FUNCTION int clusters_m() const { return (tiles_m + cluster.m - 1) / cluster.m; }
  ROOFTILE_FUNCTION int clusters_n() const { return (tiles_n + cluster.n - 1) / cluster.n; }
  /// Returns the number of items. A cluster computes items one after the other. An item has a tile for each
  /// block of the cluster.
  ROOFTILE_FUNCTION int items() const { return clusters_m() * clusters_n() * planes(); }

  /// Returns the first tile of an item. Tiles come in bands of rows, column by column, so that concurrent
  /// tiles form a square. Its rows of A and columns of B stay in L2.
  ROOFTILE_FUNCTION Item item(int index) const {
    // Unsigned divisions take fewer instructions. Each tile starts with them.
    const auto u = [](int x) { return static_cast<unsigned>(x); };
    const unsigned rows = u(clusters_m()), columns = u(clusters_n()), per_plane = rows * columns,
                   band = u(16 / cluster.m);
    const unsigned plane = planes() == 1 ? 0 : u(index) / per_plane, tile = u(index) - plane * per_plane;
    const unsigned bands = tile / (band * columns), first = bands * band,
                   within = tile - bands * band * columns;
    const unsigned height = rows - first < band ? rows - first : band;
    const unsigned column = within / height, row = first + within - column * height;
    const auto i = [](unsigned x) { return static_cast<int>(x); };
    return {i(row) * cluster.m, i(column) * cluster.n, i(plane) % splits, i(plane) / splits};
  }

  ROOFTILE_FUNCTION int blocks_of(int split) const {
    const int left = k_blocks - split * split_steps;
    return left < split_steps ? left : split_steps;
  }
};

}  // namespace rooftile::detail::hopper
