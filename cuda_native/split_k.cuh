// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/tile.hpp"
#include "device/nvidia/hopper/cluster_sum.hpp"
#include "plan/batch_parts.hpp"
#include "plan/stream.hpp"

/// The common part of the rungs that split K over the thread blocks of a cluster.
namespace rooftile::cuda_native {

/// Computes the block's split of its tile of C. The blocks of the cluster then add their partial sums and
/// store C. `multiply(acc, A, B, row0, col0)` adds the product of the split's columns of A and rows of B.
/// @param split_steps  steps along K of one block
/// @param shared       `panel_bytes` bytes, for the panels of `multiply` and then for the partial sums
template <class Accumulator, class T, class Tile, class Multiply>
__device__ __forceinline__ void multiply_split(const BatchArgs<T>& batch, const Tile& tile, Index split_steps,
                                               void* shared, const Multiply& multiply) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const Team team(tile);
  const unsigned splits = detail::cluster::size();
  const GemmArgs<T> args = product_of(team, batch);
  const Origin origin = tile_origin(team, args.C, blockIdx.x / splits);
  const Index steps = (args.A.cols + Tile::bk() - 1) / Tile::bk();
  const Index first = detail::cluster::rank() * split_steps, end = first + split_steps;
  const auto [A, B] = detail::steps_of(args, {0, first, end < steps ? end : steps, 0}, steps, Tile::bk());
  Accumulator acc(team.rank(), detail::conjugates_b(A, B));
  multiply(acc, A, B, origin.row0, origin.col0);

  barrier(team);  // before partial sums overwrite the last panels
  const GemmArgs<T> again = product_again(team, batch);
  const Origin to = tile_origin(team, again.C, detail::unforeseen(blockIdx.x) / splits);
  detail::ClusterSum<T, Tile>::store(acc, static_cast<Scalar<T>*>(shared), again.C, to.row0, to.col0,
                                     again.alpha, again.beta, team.rank(), detail::reads_conjugates(again.A));
}

/// Launches the rung: one cluster per tile of C, and one layer of the grid per product.
template <Kernel kernel, class T>
void run_split(cudaStream_t stream, const BatchArgs<T>& batch, const GemmPlan& plan) {
  const std::size_t shared_bytes = dynamic_shared_bytes<kernel>(plan.tile, type_of<T>());
  const Index blocks = tiles_of_grid(batch.first.C, plan.tile.bm, plan.tile.bn);
  if (blocks > max_blocks / plan.split_k)
    throw Error(detail::text("too many blocks for one launch (", blocks, " tiles of C, ", plan.split_k,
                             " blocks each): take a larger tile or split C"));
  with_tile<kernel, T>(plan.tile, [&]<class Tile>(const Tile& tile) {
    const dim3 block(tile.bn() / tile.tn(), tile.bm() / tile.tm());
    with_function<kernel, T, Tile>(plan.vectors, [&](auto* function) {
      allow_shared_bytes(function, shared_bytes);
      detail::for_each_part(batch, max_layers, knows_both_dimensions<Tile>, [&](const BatchArgs<T>& part) {
        const dim3 grid(static_cast<unsigned>(blocks * plan.split_k), 1,
                        static_cast<unsigned>(part.batch.count));
        launch_behind(stream, function, grid, block, shared_bytes, static_cast<int>(plan.split_k), part, tile,
                      plan.split_steps);
      });
    });
  });
}

}  // namespace rooftile::cuda_native
