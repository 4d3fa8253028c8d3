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

/// Calls f with the type of `tile` on this rung. @pre the rung takes it
template <Kernel kernel, class F>
void with_tile(TileShape tile, const F& f) {
  constexpr const Rung& rung = rung_of(kernel);
  if constexpr (rung.tiles_taken == Tiles::listed) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((rung.tiles[i] == tile ? f(Tile<rung.tiles[i]>{}) : void()), ...);
    }
    (std::make_index_sequence<rung.tiles.size()>{});
  } else if constexpr (rung.tiles_taken == Tiles::any_square) {
    f(RunTimeTile{tile.bm});
  } else {
    f(WholeTile{tile.bm, tile.bn});
  }
}

/// Shared memory given at launch; a tile known at compile time needs none.
template <Kernel kernel>
std::size_t dynamic_shared_bytes(TileShape tile, std::size_t element_size) {
  return rung_of(kernel).tiles_taken == Tiles::any_square ? tile_bytes(tile, element_size) : 0;
}

template <Kernel kernel, Math math>
void run(cudaStream_t stream, const GemmArgs<ElementIn<math>>& args, TileShape tile) {
  using T = ElementIn<math>;
  static_assert(math == own_math<T>(),
                "another mode than the type's own has a run of its own in its rung's file");
  with_tile<kernel>(tile, [&](const auto& t) {
    launch<kernel>(stream, args, t, dynamic_shared_bytes<kernel>(tile, sizeof(T)));
  });
}

/// What a kernel takes of a multiprocessor with `dynamic` bytes of shared memory given at launch.
template <class Function>
KernelResources resources_of(Function* function, int threads, std::size_t dynamic) {
  KernelResources found;
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, function), "query a kernel");
  found.threads = threads;
  found.registers = attributes.numRegs;
  found.shared_bytes = attributes.sharedSizeBytes + dynamic;
  found.local_bytes = attributes.localSizeBytes;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found.blocks_per_sm, function, threads, dynamic),
        "query a kernel's occupancy");
  return found;
}

template <Kernel kernel, Math math>
KernelResources resources(TileShape tile) {
  using T = ElementIn<math>;
  KernelResources found;
  with_tile<kernel>(tile, [&]<class Tile>(const Tile& t) {
    found = resources_of(KernelOf<kernel>::template function<T, Tile>, t.bm() * t.bn(),
                         dynamic_shared_bytes<kernel>(tile, sizeof(T)));
  });
  return found;
}

}  // namespace rooftile::cuda_native
