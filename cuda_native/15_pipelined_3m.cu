// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/pipeline.hpp"
#include "device/common/register_3m_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::cuda_native {

/// The pipeline of complex numbers with three multiply-adds for a product in place of four: a thread adds the
/// parts of each value it reads once, and has three sums for an element of C.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    pipelined_3m(BatchArgs<T> batch, Tile tile) {
  const Team team(tile);
  const auto& [alpha, A, B, beta, C] = product_of(team, batch);
  const auto [row0, col0] = tile_origin(team, C);
  extern __shared__ float4 shared[];
  const PanelRingOf<Kernel::pipelined_3m, T, Tile> ring{reinterpret_cast<T*>(shared)};
  detail::Register3mTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (TM,TN)

  detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
  store_registers(team, batch, acc);
}

template <>
struct KernelOf<Kernel::pipelined_3m> {
  template <class T, class Tile>
  static constexpr auto function = &pipelined_3m<T, Tile>;
};
template void run<Kernel::pipelined_3m, Math::cfp32_3m>(cudaStream_t, const BatchArgs<complex<float>>&,
                                                        const GemmPlan&);
template void run<Kernel::pipelined_3m, Math::cfp64_3m>(cudaStream_t, const BatchArgs<complex<double>>&,
                                                        const GemmPlan&);
template KernelResources resources<Kernel::pipelined_3m, Math::cfp32_3m>(TileShape);
template KernelResources resources<Kernel::pipelined_3m, Math::cfp64_3m>(TileShape);

}  // namespace rooftile::cuda_native
