// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>

#include "cuda_native/check.hpp"
#include "cuda_native/device.hpp"
#include "cuda_native/run.hpp"
#include "cuda_native/start.hpp"
#include "device/common/pipeline.hpp"
#include "device/common/tile.hpp"
#include "plan/batch_parts.hpp"
#include "plan/block_limits.hpp"
#include "plan/operand_alignment.hpp"
#include "plan/register_blocks.hpp"

namespace rooftile::cuda_native {

/// The `__global__` function of a kernel. Each rung's file specializes it.
template <Kernel kernel>
struct KernelOf;

/// The ring of panels that a kernel keeps in shared memory.
template <Kernel kernel, class T, class Tile, detail::Major a = detail::Major::x,
          detail::Major b = detail::Major::x>
using PanelRingOf = detail::PanelRing<T, Tile, detail::stages(rung_of(kernel), Tile::shape, type_of<T>()),
                                      detail::has_fragments(rung_of(kernel), type_of<T>()), a, b>;

template <Kernel kernel, class T, class Tile>
using PanelFeedOf = detail::PanelFeed<T, PanelRingOf<kernel, T, Tile>, Tile::max_threads>;

/// Calls f with the rung's `__global__` function.
/// @param vectors  whether threads can copy both operands in whole vectors of 16 bytes
template <Kernel kernel, class T, class Tile, class F>
void with_function([[maybe_unused]] bool vectors, const F& f) {
  using Of = KernelOf<kernel>;
  if constexpr (detail::has_vector_kernel(rung_of(kernel), type_of<T>())) {
    f(vectors ? Of::template function<T, Tile, true> : Of::template function<T, Tile, false>);
  } else {
    f(Of::template function<T, Tile>);
  }
}

/// Limits of a grid: blocks for the tiles of C in x, and layers for the products in z.
inline constexpr Index max_blocks = std::numeric_limits<int>::max(), max_layers = 65535;

/// Returns the number of tiles of C in one product. @throws Error  if a grid cannot have as many blocks
template <class T>
Index tiles_of_grid(const MatrixRef<T>& C, int bm, int bn) {
  const Index tiles_m = (C.rows + bm - 1) / bm, tiles_n = (C.cols + bn - 1) / bn;
  if (tiles_m > max_blocks / tiles_n) {
    throw Error(detail::text("too many tiles of C for one launch (", tiles_m, " x ", tiles_n,
                             "): take a larger tile or split C"));
  }
  return tiles_m * tiles_n;
}

/// Launches one block per tile of C, with one thread per (TM,TN) elements. Each product is a layer of blocks.
template <Kernel kernel, class T, class Tile>
void launch(cudaStream_t stream, const BatchArgs<T>& args, const Tile& tile, std::size_t shared_bytes,
            bool vectors) {
  const Index tiles = tiles_of_grid(args.first.C, tile.bm(), tile.bn());
  const dim3 block(tile.bn() / tile.tn(), tile.bm() / tile.tm());
  with_function<kernel, T, Tile>(vectors, [&](auto* function) {
    allow_shared_bytes(function, shared_bytes);
    detail::for_each_part(args, max_layers, knows_both_dimensions<Tile>, [&](const BatchArgs<T>& part) {
      const dim3 grid(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(part.batch.count));
      launch_kernel(stream, function, grid, block, shared_bytes, part, tile);
    });
  });
}

/// Calls f with `tile` as a type of this rung. @pre the rung takes the tile
template <Kernel kernel, class T, class F>
void with_tile(TileShape tile, const F& f) {
  constexpr const Rung& rung = rung_of(kernel);
  const auto with = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr TileShape shape = rung.tiles[i];
    if constexpr (detail::is_built(rung, Path::native, shape, type_of<T>())) {
      if (shape == tile) f(Tile<shape, detail::teams_per_sm(shape, type_of<T>())>{});
    }
  };
  if constexpr (rung.tiles_taken == Tiles::listed) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (with(std::integral_constant<std::size_t, i>{}), ...);
    }
    (std::make_index_sequence<rung.tiles.size()>{});
  } else if constexpr (rung.tiles_taken == Tiles::any_square) {
    f(RunTimeTile{tile.bm});
  } else {
    f(WholeTile{tile.bm, tile.bn});
  }
}

/// Dynamic shared memory in bytes. The tiles of the lower rungs are static arrays and need none.
template <Kernel kernel>
std::size_t dynamic_shared_bytes(TileShape tile, Type type) {
  constexpr const Rung& rung = rung_of(kernel);
  if (rung.has_panels()) return detail::panel_bytes(rung, tile, type);
  return rung.tiles_taken == Tiles::any_square ? tile_bytes(tile, size_of(type)) : 0;
}

/// Launches a rung that divides tiles into work units along K (`stream_k.cuh`).
template <Kernel kernel, class T>
void run_stream(cudaStream_t stream, const BatchArgs<T>& batch, const GemmPlan& plan);

/// Launches a rung whose blocks compute several tiles (`13_small_batched.cu`).
template <Kernel kernel, class T>
void run_small(cudaStream_t stream, const BatchArgs<T>& batch, const GemmPlan& plan);

/// Launches a rung that splits K over the blocks of a cluster (`split_k.cuh`).
template <Kernel kernel, class T>
void run_split(cudaStream_t stream, const BatchArgs<T>& batch, const GemmPlan& plan);

template <Kernel kernel, ComputeMode math>
void run(cudaStream_t stream, const BatchArgs<ProductIn<math>>& args, const GemmPlan& plan) {
  using T = ProductIn<math>;
  static_assert(math == own_mode<T>() || !rung_of(kernel).supports(own_mode<T>(), Path::native),
                "a second mode of a type needs its own run in its rung's file");
  if constexpr (rung_of(kernel).block_threads > 0) {
    run_small<kernel>(stream, args, plan);
  } else if constexpr (rung_of(kernel).split_k == SplitK::stream_k) {
    run_stream<kernel>(stream, args, plan);
  } else if constexpr (rung_of(kernel).split_k == SplitK::cluster) {
    run_split<kernel>(stream, args, plan);
  } else {
    with_tile<kernel, T>(plan.tile, [&](const auto& tile) {
      launch<kernel>(stream, args, tile, dynamic_shared_bytes<kernel>(plan.tile, type_of<T>()), plan.vectors);
    });
  }
}

/// Returns the resources of an SM that a kernel uses. @param dynamic  bytes of dynamic shared memory
template <class Function>
KernelResources resources_of(Function* function, int threads, std::size_t dynamic) {
  allow_shared_bytes(function, dynamic);
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

/// Returns the resources of a rung's kernel with one tile.
template <Kernel kernel, class T, class Tile>
KernelResources resources_with(const Tile& tile, std::size_t shared_bytes) {
  constexpr int block_threads = rung_of(kernel).block_threads;
  return resources_of(KernelOf<kernel>::template function<T, Tile>,
                      block_threads > 0 ? block_threads : tile.bm() / tile.tm() * (tile.bn() / tile.tn()),
                      shared_bytes);
}

template <Kernel kernel, ComputeMode math>
KernelResources resources(TileShape tile) {
  using T = ProductIn<math>;
  KernelResources found;
  with_tile<kernel, T>(tile, [&](const auto& t) {
    found = resources_with<kernel, T>(t, dynamic_shared_bytes<kernel>(tile, type_of<T>()));
  });
  return found;
}

}  // namespace rooftile::cuda_native
