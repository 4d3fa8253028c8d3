// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/fp64_int8/workspace.hpp"
#include "cuda_native/warpgroup/kernel.cuh"
#include "device/nvidia/hopper/wgmma_widths.hpp"
#include "numerics/residue.hpp"

/// Products of residues by the `warpgroup` kernel in int8: one persistent launch with a plane per product and
/// modulus. The accumulators are stored as residues.
namespace rooftile::cuda_native::residues {

/// Tiles (128,256) of C. The two blocks of a cluster share the tile of B.
using ProductTile = WarpgroupTile<std::int8_t, std::int8_t, 2, 256, 4>;

/// The constants of all moduli. A tile uses those of one modulus.
struct Moduli {
  Modulus at[max_moduli];
};

/// Stores a warp's accumulators as residues by TMA, as `store_boxes` does: 16 rows of a plane from `origin`
/// on.
template <int size>
__device__ void store_residues(int thread, const int (&sums)[size], char* staging, BoxTurn& turn,
                               const CUtensorMap& map, const Modulus& m, tma::BoxOrigin origin) {
  const int lane = thread % 32, row = lane / 4;
#pragma unroll
  for (int col = 0; col < size * 2; col += swizzle_bytes) {
    char* const box = staging + turn.stage * StoreStaging::box_bytes;
    turn.advance();
    if (lane == 0) tma::wait_for_stores<StoreStaging::boxes - 1>();
    __syncwarp();
#pragma unroll
    for (int j = 0; j < swizzle_bytes; j += 8) {
      const int* const mine = sums + (col + j) / 2;
      const int byte = j + lane % 4 * 2;
      char* const line = box + row * swizzle_bytes + ((byte / 16) ^ row) * 16 + byte % 16;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        char2 pair;
        pair.x = static_cast<signed char>(residue(mine[2 * half], m));
        pair.y = static_cast<signed char>(residue(mine[2 * half + 1], m));
        *reinterpret_cast<char2*>(line + half * 8 * swizzle_bytes) = pair;
      }
    }
    tma::fence_writes();
    __syncwarp();
    if (lane == 0) tma::store(map, {origin.column + col, origin.row, origin.plane}, shared_address(box));
  }
}

/// One warpgroup multiplies its 64 rows of each tile and stores their residues.
/// @tparam products  products per modulus
template <class G, int products>
__device__ void consume_residues(const WarpgroupShared<G>& shared, const Place& here, const CUtensorMap& C,
                                 const WarpgroupWork& work, const Moduli& moduli) {
  const detail::ClusterShape cluster = work.cluster;
  const ClusterPlace own(cluster);
  const int warp = here.thread / 32, sharer = sharing_block(cluster, own, here.thread % 128);
  char* const staging = shared.staging(warp);
  RingPosition<G::stages> at;
  BoxTurn turn;
  for (int index = here.block / cluster.size(); index < work.items(); index += here.blocks / cluster.size()) {
    const WarpgroupWork::Item item = work.item(index);
    int sums[G::bn / 2];
    multiply<G>(sums, shared, here.thread, sharer, work.k_blocks, at);
    const int row0 = (item.tile_m + own.row) * G::bm + here.thread / 128 * slab_rows,
              col0 = (item.tile_n + own.column) * G::bn;
    store_residues(here.thread, sums, staging, turn, C, moduli.at[item.product / products],
                   {col0, row0 + warp % 4 * 16, item.product});
  }
  tma::wait_for_stores<0>();
}

template <class G, int products>
__global__ void __launch_bounds__(G::threads, 1)
    multiply_residues(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                      const __grid_constant__ CUtensorMap C, WarpgroupWork work, Guard guard,
                      const __grid_constant__ Moduli moduli) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ char raw[];
  const WarpgroupShared<G> shared(raw);
  const Place here = place();
  make_ready<G>(shared, here, A, B, work.cluster);
  work.products = guard.moduli() * products;

  if (here.thread / 128 == G::consumers) {
    shrink_registers<producer_registers>();
    if (copies(here)) produce<G>(shared, here, A, B, work);
  } else {
    grow_registers<G::consumer_registers>();
    consume_residues<G, products>(shared, here, C, work, moduli);
  }
  barrier_of_cluster(work.cluster);  // no block ends while another may still arrive at its barriers
#endif
}

}  // namespace rooftile::cuda_native::residues
