// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// For GPUs
#pragma once

#include <string>

#include "backends/kokkos/launch.hpp"
#include "rooftile/device/common/small_tiles.hpp"

/// Launches of the rung whose teams compute several tiles; `cuda_native/small_tiles.cuh` is the native one.
namespace rooftile::portable {

inline constexpr int small_threads = rung_of(Kernel::small_batched).block_threads;

template <class T, class Tile>
using SmallTilesOf = detail::SmallTiles<T, Tile, small_threads, Products<T>>;

template <Kernel kernel, class Exec, class T, class Tile>
void launch_small(const Exec& exec, const BatchArgs<T>& batch, const Tile& tile) {
  using Functor = typename KernelOf<kernel>::template Functor<T, Tile>;
  constexpr Index tiles = SmallTilesOf<T, Tile>::tiles;
  const Index max_entries = products_of_launch(batch, max_teams * tiles);
  const std::string name = detail::text("rooftile::", rung_of(kernel).name);  // after which nothing fails
  const std::size_t bytes = static_cast<std::size_t>(SmallTilesOf<T, Tile>::elements) * sizeof(T);
  for_each_part(batch, max_entries, [&](const BatchArgs<T>& part) {
    const Index teams = (part.batch.count + tiles - 1) / tiles;
    start_teams<small_threads, 1>(exec, name, teams, small_threads, bytes, Functor{products_of(part), tile});
  });
}

}  // namespace rooftile::portable
