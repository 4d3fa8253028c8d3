// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/launch.cuh"
#include "cuda_native/split_k.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/nvidia/mma_pipeline.hpp"
#include "device/nvidia/mma_tile.hpp"

namespace rooftile::cuda_native {

/// Tiles of the tensor cores in fp64 and complex fp64, with K split as in `split_k`.
/// @tparam vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
template <class T, class Tile, bool vectors>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    split_k_tensor_core(BatchArgs<T> batch, Tile tile, Index split_steps) {
  using Fragments = detail::MmaTile<T, Tile>;  // (4·TM,8·TN) per warp
  extern __shared__ float4 shared[];

  multiply_split<Fragments>(
      batch, tile, split_steps, shared,
      [&](Fragments & acc, const auto& A, const auto& B, Index row0, Index col0)
          __attribute__((always_inline)) {
            detail::with_majors(
                A, B, [&]<detail::Major a_major, detail::Major b_major>() __attribute__((always_inline)) {
                  const PanelRingOf<Kernel::split_k_tensor_core, T, Tile, a_major, b_major> ring{
                      reinterpret_cast<T*>(shared)};
                  detail::multiply_fragments<T, Tile, vectors>(Team(tile), acc, ring, A, B, row0, col0);
                });
          });
}

template <>
struct KernelOf<Kernel::split_k_tensor_core> {
  template <class T, class Tile, bool vectors = false>
  static constexpr auto function = &split_k_tensor_core<T, Tile, vectors>;
};

}  // namespace rooftile::cuda_native
