// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/launch.cuh"
#include "cuda_native/stream_k.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/nvidia/mma_pipeline.hpp"
#include "device/nvidia/mma_tile.hpp"

namespace rooftile::cuda_native {

/// Tiles of the tensor cores, divided into work units as in `stream_k`. Partial sums of 16-bit tiles are
/// added in fp32 and rounded once.
/// @tparam vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
template <class T, class Tile, bool vectors>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    stream_k_tensor_core(detail::StreamArgs<T> args, Tile tile) {
  using Fragments = detail::MmaTile<In<T>, Tile>;  // (4·TM,8·TN) per warp
  const Team team(tile);
  extern __shared__ float4 shared[];

  detail::multiply_parts<Fragments, Tile>(
      team, args, blockIdx.x,
      [&](Fragments & acc, const auto& A, const auto& B, Index row0, Index col0)
          __attribute__((always_inline)) {
            detail::with_majors(
                A, B, [&]<detail::Major a_major, detail::Major b_major>() __attribute__((always_inline)) {
                  const PanelRingOf<Kernel::stream_k_tensor_core, In<T>, Tile, a_major, b_major> ring{
                      reinterpret_cast<In<T>*>(shared)};
                  detail::multiply_fragments<In<T>, Tile, vectors>(team, acc, ring, A, B, row0, col0);
                });
          });
}

template <>
struct KernelOf<Kernel::stream_k_tensor_core> {
  template <class T, class Tile, bool vectors = false>
  static constexpr auto function = &stream_k_tensor_core<T, Tile, vectors>;
};

}  // namespace rooftile::cuda_native
