// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/split_k.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"

namespace rooftile::cuda_native {

/// A C with few tiles and a long K leaves SMs idle. Here the blocks of a cluster split K of one tile and read
/// each other's partial sums in shared memory. Neither a workspace nor a second kernel is needed.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    split_k(BatchArgs<T> batch, Tile tile, Index split_steps) {
  using Registers = detail::RegisterTile<T, Tile>;  // (TM,TN)
  extern __shared__ float4 shared[];

  multiply_split<Registers>(batch, tile, split_steps, shared,
                            [&](Registers& acc, const auto& A, const auto& B, Index row0, Index col0) {
                              const PanelRingOf<Kernel::split_k, T, Tile> ring{reinterpret_cast<T*>(shared)};
                              detail::multiply_pipelined<T, Tile>(Team(tile), acc, ring, A, B, row0, col0);
                            });
}

template <>
struct KernelOf<Kernel::split_k> {
  template <class T, class Tile>
  static constexpr auto function = &split_k<T, Tile>;
};
template void run<Kernel::split_k, ComputeMode::fp32>(cudaStream_t, const BatchArgs<float>&, const GemmPlan&);
template void run<Kernel::split_k, ComputeMode::cfp32>(cudaStream_t, const BatchArgs<complex<float>>&,
                                                       const GemmPlan&);
template KernelResources resources<Kernel::split_k, ComputeMode::fp32>(TileShape);
template KernelResources resources<Kernel::split_k, ComputeMode::cfp32>(TileShape);

}  // namespace rooftile::cuda_native
