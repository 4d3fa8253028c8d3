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
    const int rows = clusters_m(), columns = clusters_n(), per_plane = rows * columns, band = 16 / cluster.m;
    const int plane = index / per_plane, tile = index % per_plane;
    const int first = tile / (band * columns) * band, within = tile % (band * columns);
    const int height = rows - first < band ? rows - first : band;
    return {(first + within % height) * cluster.m, within / height * cluster.n, plane % splits,
            plane / splits};
  }

  ROOFTILE_FUNCTION int blocks_of(int split) const {
    const int left = k_blocks - split * split_steps;
    return left < split_steps ? left : split_steps;
  }
};

}  // namespace rooftile::detail::hopper
