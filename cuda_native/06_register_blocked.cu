// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::cuda_native {

/// A thread computes TM×TN elements of C, so that TM + TN values from shared memory serve TM·TN
/// multiply-adds. The arithmetic units limit the kernel instead of shared memory. The load transposes the
/// panel of A, so that the values that a thread reads are contiguous.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    register_blocked(BatchArgs<T> batch, Tile tile) {
  const Team team(tile);
  const auto& [alpha, A, B, beta, C] = product_of(team, batch);
  const auto [row0, col0] = tile_origin(team, C);
  extern __shared__ float4 shared[];
  const PanelRingOf<Kernel::register_blocked, T, Tile> panels{reinterpret_cast<T*>(shared)};
  PanelFeedOf<Kernel::register_blocked, T, Tile> feed(A, B, row0, col0, team.rank());
  detail::RegisterTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (TM,TN)

  for (int skip = detail::rows_before_first_panel<Tile::bk()>(A.cols); feed.panels > 0; skip = 0) {
    feed.template begin_load<true>(panels, skip);  // (BK,BM) and (BK,BN)
    detail::wait_for_groups<0>();
    barrier(team);
    ROOFTILE_UNROLL_ALL
    for (int k = 0; k < tile.bk(); ++k) {
      typename detail::RegisterTile<T, Tile>::Fragments fragments;  // (TM) and (TN)
      acc.load(fragments, panels.a(0), panels.b(0), k);
      acc.multiply_add(fragments);
    }
    barrier(team);
  }
  store_registers(team, batch, acc);
}

template <>
struct KernelOf<Kernel::register_blocked> {
  template <class T, class Tile>
  static constexpr auto function = &register_blocked<T, Tile>;
};
template void run<Kernel::register_blocked, ComputeMode::fp32>(cudaStream_t, const BatchArgs<float>&,
                                                               const GemmPlan&);
template void run<Kernel::register_blocked, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                               const GemmPlan&);
template void run<Kernel::register_blocked, ComputeMode::cfp32>(cudaStream_t,
                                                                const BatchArgs<complex<float>>&,
                                                                const GemmPlan&);
template void run<Kernel::register_blocked, ComputeMode::cfp64>(cudaStream_t,
                                                                const BatchArgs<complex<double>>&,
                                                                const GemmPlan&);
template KernelResources resources<Kernel::register_blocked, ComputeMode::fp32>(TileShape);
template KernelResources resources<Kernel::register_blocked, ComputeMode::fp64>(TileShape);
template KernelResources resources<Kernel::register_blocked, ComputeMode::cfp32>(TileShape);
template KernelResources resources<Kernel::register_blocked, ComputeMode::cfp64>(TileShape);

}  // namespace rooftile::cuda_native
