// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/stream_k.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"

namespace rooftile::cuda_native {

/// Tiles that would not fill the SMs are divided into work units along K, so that all blocks end together for
/// any number of tiles. The loop is that of `pipelined`. A second kernel adds the partial sums of a tile,
/// always in one order.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    stream_k(detail::StreamArgs<T> args, Tile tile) {
  using Registers = detail::RegisterTile<T, Tile>;  // (TM,TN)
  const Team team(tile);
  extern __shared__ float4 shared[];
  const PanelRingOf<Kernel::stream_k, T, Tile> ring{reinterpret_cast<T*>(shared)};

  detail::multiply_parts<Registers, Tile>(
      team, args, blockIdx.x, [&](Registers& acc, const auto& A, const auto& B, Index row0, Index col0) {
        detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
      });
}

template <>
struct KernelOf<Kernel::stream_k> {
  template <class T, class Tile>
  static constexpr auto function = &stream_k<T, Tile>;
};
template void run<Kernel::stream_k, ComputeMode::fp32>(cudaStream_t, const BatchArgs<float>&,
                                                       const GemmPlan&);
template void run<Kernel::stream_k, ComputeMode::cfp32>(cudaStream_t, const BatchArgs<complex<float>>&,
                                                        const GemmPlan&);
template KernelResources resources<Kernel::stream_k, ComputeMode::fp32>(TileShape);
template KernelResources resources<Kernel::stream_k, ComputeMode::cfp32>(TileShape);

}  // namespace rooftile::cuda_native
