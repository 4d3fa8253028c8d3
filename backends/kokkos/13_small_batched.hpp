// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// For GPUs
#pragma once

#include "backends/kokkos/small_tiles.hpp"
#include "backends/kokkos/tile_ops.hpp"

namespace rooftile::portable {

/// A team computes the tiles of several batch entries, each by a few of its threads: an entry by itself would
/// leave most of a team idle, and its lines of memory half used.
template <class T, class Tile>
struct SmallBatched {
  using Tiles = SmallTilesOf<T, Tile>;

  Products<T> batch;
  Tile tile;

  static int scratch_elements(const Tile&) { return Tiles::elements; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    T* const shared = scratch_tile<T>(team, 1, Tiles::elements).data;
    const Tiles tiles(batch, shared, team.rank_in_league(), team.rank());
    typename Tiles::Accumulator acc;  // (TM,TN)

    for (Index k0 = 0; k0 < batch.first.A.cols; k0 += tile.bk()) {
      tiles.load(k0);
      barrier(team);
      tiles.multiply_add(acc);
      barrier(team);
    }
    tiles.keep(acc);
    barrier(team);
    tiles.store();
  }
};

template <>
struct KernelOf<Kernel::small_batched> {
  template <class T, class Tile>
  using Functor = SmallBatched<T, Tile>;
};

}  // namespace rooftile::portable
