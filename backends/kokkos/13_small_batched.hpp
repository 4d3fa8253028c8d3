// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "device/common/small_tiles.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::portable {

inline constexpr int small_threads = rung_of(Kernel::small_batched).block_threads;

template <class T, class Tile>
using SmallTilesOf = detail::SmallTiles<T, Tile, small_threads, Products<T>>;

/// A team computes the tiles of several batch entries, each with a few of its threads. A team per entry would
/// leave most threads idle and use only half of each memory line.
template <class T, class Tile>
struct SmallBatched {
  using Tiles = SmallTilesOf<T, Tile>;

  Products<T> batch;
  Tile tile;

  static int scratch_elements(const Tile&) { return Tiles::elements; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    auto* const shared = scratch_tile<typename Tiles::Sum>(team, 1, Tiles::elements).data;
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

template <Kernel kernel, class Exec, class T, class Tile>
void launch_small(const Exec& exec, const BatchArgs<T>& batch, const Tile& tile) {
  using Functor = typename KernelOf<kernel>::template Functor<T, Tile>;
  constexpr Index tiles = SmallTilesOf<T, Tile>::tiles;
  const Index max_entries = products_of_launch(batch, max_teams * tiles);
  const std::string name = detail::text("rooftile::", rung_of(kernel).name);  // before any launch: may throw
  const std::size_t bytes = static_cast<std::size_t>(SmallTilesOf<T, Tile>::elements) * sizeof(Scalar<T>);
  for_each_part(batch, max_entries, [&](const BatchArgs<T>& part) {
    const Index teams = (part.batch.count + tiles - 1) / tiles;
    start_teams<small_threads, 1>(exec, name, teams, small_threads, bytes, Functor{products_of(part), tile});
  });
}

}  // namespace rooftile::portable
