// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"

namespace rooftile::portable {

/// The tile width is a run-time value that the library chooses from the limits of the device. `tile` is a
/// RunTimeTile. Both tiles lie in team scratch that is sized at launch.
template <class T, class Tile>
struct TiledDynamic {
  Products<T> batch;
  Tile tile;

  static int scratch_elements(const Tile& tile) { return tile.bm() * tile.bk() + tile.bk() * tile.bn(); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    const auto& [alpha, A, B, beta, C] = product_of(team, batch);
    const auto [row0, col0] = tile_origin(team, C);
    const auto a = scratch_tile<T>(team, tile.bm(), tile.bk());  // (BM,BK)
    const auto b = scratch_tile<T>(team, tile.bk(), tile.bn());  // (BK,BN)
    Accumulator<T, Tile> acc;                                    // (TM,TN)
    auto walk_a = walk_right(team, A, row0);
    auto walk_b = walk_down(team, B, col0);

    for (Index k0 = 0; k0 < A.cols; k0 += tile.bk()) {
      load_tile_checked(team, a, A, row0, k0, walk_a);
      load_tile_checked(team, b, B, k0, col0, walk_b);
      barrier(team);
      multiply_add(team, acc, a, b);
      barrier(team);
    }
    store_tile_checked(team, batch, {row0, col0}, acc);
  }
};

template <>
struct KernelOf<Kernel::tiled_dynamic> {
  template <class T, class Tile>
  using Functor = TiledDynamic<T, Tile>;
};

}  // namespace rooftile::portable
