// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>

#include "cuda_native/check.hpp"
#include "cuda_native/run.hpp"

namespace rooftile::cuda_native {

/// The `__global__` function of a kernel; each rung's file names its own.
template <Kernel kernel>
struct KernelOf;

/// One block per tile of C, one thread per element of the tile.
template <Kernel kernel, class T, class Tile>
void launch(cudaStream_t stream, const GemmArgs<T>& args, const Tile& tile, std::size_t shared_bytes) {
  const Index tiles_m = (args.C.rows + tile.bm() - 1) / tile.bm();
  const Index tiles_n = (args.C.cols + tile.bn() - 1) / tile.bn();
  if (tiles_m > std::numeric_limits<int>::max() / tiles_n) {
    throw Error(detail::text("too many tiles of C for one launch (", tiles_m, " x ", tiles_n,
                             "): take a larger tile or split C"));
  }
  const dim3 grid(static_cast<unsigned>(tiles_m * tiles_n));
  const dim3 block(tile.bn(), tile.bm());
  KernelOf<kernel>::template function<T, Tile><<<grid, block, shared_bytes, stream>>>(args, tile);
  check(cudaGetLastError(), "launch a kernel");
}

template <Kernel kernel, class T>
void run(cudaStream_t stream, const GemmArgs<T>& args, TileShape tile) {
  constexpr const Rung& rung = rung_of(kernel);
  if constexpr (rung.tiles_taken == Tiles::listed) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((rung.tiles[i] == tile ? launch<kernel>(stream, args, Tile<rung.tiles[i]>{}, 0) : void()), ...);
    }
    (std::make_index_sequence<rung.tiles.size()>{});
  } else if constexpr (rung.tiles_taken == Tiles::any_square) {
    launch<kernel>(stream, args, RunTimeTile{tile.bm}, tile_bytes(tile, sizeof(T)));
  } else {
    launch<kernel>(stream, args, WholeTile{tile.bm, tile.bn}, 0);
  }
}

}  // namespace rooftile::cuda_native
