// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::cuda_native {

/// Asynchronous copies bring panels several stages ahead, and a thread reads its next values while it
/// multiplies. The multiply-adds therefore wait for neither global nor shared memory. `multiply_pipelined`
/// contains the loop.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    pipelined(BatchArgs<T> batch, Tile tile) {
  const Team team(tile);
  const auto& [alpha, A, B, beta, C] = product_of(team, batch);
  const auto [row0, col0] = tile_origin(team, C);
  extern __shared__ float4 shared[];
  const PanelRingOf<Kernel::pipelined, T, Tile> ring{reinterpret_cast<T*>(shared)};
  detail::RegisterTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (TM,TN)

  detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
  store_registers(team, batch, acc);
}

template <>
struct KernelOf<Kernel::pipelined> {
  template <class T, class Tile>
  static constexpr auto function = &pipelined<T, Tile>;
};
template void run<Kernel::pipelined, ComputeMode::fp32>(cudaStream_t, const BatchArgs<float>&,
                                                        const GemmPlan&);
template void run<Kernel::pipelined, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                        const GemmPlan&);
template void run<Kernel::pipelined, ComputeMode::cfp32>(cudaStream_t, const BatchArgs<complex<float>>&,
                                                         const GemmPlan&);
template void run<Kernel::pipelined, ComputeMode::cfp64>(cudaStream_t, const BatchArgs<complex<double>>&,
                                                         const GemmPlan&);
template KernelResources resources<Kernel::pipelined, ComputeMode::fp32>(TileShape);
template KernelResources resources<Kernel::pipelined, ComputeMode::fp64>(TileShape);
template KernelResources resources<Kernel::pipelined, ComputeMode::cfp32>(TileShape);
template KernelResources resources<Kernel::pipelined, ComputeMode::cfp64>(TileShape);

}  // namespace rooftile::cuda_native
