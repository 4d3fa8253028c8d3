// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"

namespace rooftile::cuda_native {

/// Tiles of A and B go through shared memory. An element is read from global memory once per tile of C
/// instead of once per element of C.
/// @pre the tile divides M, N and K
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams) tiled(BatchArgs<T> batch, Tile tile) {
  const Team team(tile);
  const auto& [alpha, A, B, beta, C] = product_of(team, batch);
  const auto [row0, col0] = tile_origin(team, C);
  __shared__ T a[Tile::bm()][Tile::bk()];  // (BM,BK)
  __shared__ T b[Tile::bk()][Tile::bn()];  // (BK,BN)
  T acc = 0;                               // (1,1)
  auto walk_a = walk_right(team, A, row0);
  auto walk_b = walk_down(team, B, col0);

  for (Index k0 = 0; k0 < A.cols; k0 += tile.bk()) {
    load_tile(team, a, A, row0, k0, walk_a);
    load_tile(team, b, B, k0, col0, walk_b);
    barrier(team);
    multiply_add(team, acc, a, b);
    barrier(team);
  }
  store_tile(team, batch, {row0, col0}, acc);
}

template <>
struct KernelOf<Kernel::tiled> {
  template <class T, class Tile>
  static constexpr auto function = &tiled<T, Tile>;
};
template void run<Kernel::tiled, ComputeMode::fp32>(cudaStream_t, const BatchArgs<float>&, const GemmPlan&);
template void run<Kernel::tiled, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&, const GemmPlan&);
template void run<Kernel::tiled, ComputeMode::cfp32>(cudaStream_t, const BatchArgs<complex<float>>&,
                                                     const GemmPlan&);
template void run<Kernel::tiled, ComputeMode::cfp64>(cudaStream_t, const BatchArgs<complex<double>>&,
                                                     const GemmPlan&);
template KernelResources resources<Kernel::tiled, ComputeMode::fp32>(TileShape);
template KernelResources resources<Kernel::tiled, ComputeMode::fp64>(TileShape);
template KernelResources resources<Kernel::tiled, ComputeMode::cfp32>(TileShape);
template KernelResources resources<Kernel::tiled, ComputeMode::cfp64>(TileShape);

}  // namespace rooftile::cuda_native
