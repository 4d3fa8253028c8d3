// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/launch.cuh"
#include "rooftile/device/common/small_tiles.hpp"

/// Launches of the rung whose blocks compute several tiles; `backends/kokkos/small_tiles.hpp` is the portable
/// one.
namespace rooftile::cuda_native {

inline constexpr int small_threads = rung_of(Kernel::small_batched).block_threads;

template <class T, class Tile>
using SmallTilesOf = detail::SmallTiles<T, Tile, small_threads, BatchArgs<T>>;

template <Kernel kernel, class T>
void run_small(cudaStream_t stream, const BatchArgs<T>& batch, const GemmPlan& plan) {
  with_tile<kernel, T>(plan.tile, [&]<class Tile>(const Tile& tile) {
    constexpr Index tiles = SmallTilesOf<T, Tile>::tiles;
    for_each_part(batch, max_blocks * tiles, [&](const BatchArgs<T>& part) {
      const Index blocks = (part.batch.count + tiles - 1) / tiles;
      launch_kernel(stream, KernelOf<kernel>::template function<T, Tile>, dim3(static_cast<unsigned>(blocks)),
                    dim3(small_threads), 0, part, tile);
    });
  });
}

}  // namespace rooftile::cuda_native
