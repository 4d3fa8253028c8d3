// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/detail/function.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::detail::hopper {

/// The work of a batch of products: their tiles of C and, where these are too few for the SMs,
/// splits of K. Each split of each product is a plane of results.
struct WarpgroupWork {
  int tiles_m;
  int tiles_n;
  int k_blocks;     ///< steps of BK along K
  int split_steps;  ///< of these, at most what one split takes
  int splits;
  int products = 1;
  int a_planes = 0;  ///< from a product's A to the next's, of TMA's planes; 0: they share it
  int b_planes = 0;

  struct Item {
    int tile_m, tile_n, split, product;
  };

  ROOFTILE_FUNCTION int tiles() const { return tiles_m * tiles_n; }
  ROOFTILE_FUNCTION int planes() const { return products * splits; }
  ROOFTILE_FUNCTION int plane(const Item& item) const { return item.product * splits + item.split; }

  /// A cluster takes tiles below each other.
  ROOFTILE_FUNCTION int clusters_m(int cluster) const { return (tiles_m + cluster - 1) / cluster; }
  ROOFTILE_FUNCTION int items(int cluster) const { return clusters_m(cluster) * tiles_n * planes(); }

  /// The first tile of a cluster's item. Tiles come in bands of rows, column by column, so that the ones
  /// computed at the same time form a square, whose rows of A and columns of B stay in L2.
  ROOFTILE_FUNCTION Item item(int index, int cluster) const {
    const int clusters = clusters_m(cluster), per_plane = clusters * tiles_n, band = 16 / cluster;
    const int plane = index / per_plane, tile = index % per_plane;
    const int first = tile / (band * tiles_n) * band, within = tile % (band * tiles_n);
    const int height = clusters - first < band ? clusters - first : band;
    return {(first + within % height) * cluster, within / height, plane % splits, plane / splits};
  }

  ROOFTILE_FUNCTION int blocks_of(int split) const {
    const int left = k_blocks - split * split_steps;
    return left < split_steps ? left : split_steps;
  }
};

}  // namespace rooftile::detail::hopper
