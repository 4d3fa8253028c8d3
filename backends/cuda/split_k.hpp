// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/team_launch.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "device/common/tile.hpp"
#include "device/nvidia/hopper/cluster_sum.hpp"
#include "plan/batch_parts.hpp"
#include "plan/stream.hpp"

/// The common part of the rungs that split K over the teams of a cluster; `cuda_native/split_k.cuh` is the
/// native counterpart.
namespace rooftile::portable {

/// Scratch memory of a team in bytes, for the panels and then for the partial sums.
template <Kernel kernel, class T, class Tile>
inline constexpr std::size_t split_bytes = detail::panel_bytes(rung_of(kernel), Tile::shape, type_of<T>());

/// Computes the team's split of its tile of C. The teams of the cluster then add their partial sums and store
/// C. `multiply(acc, scratch, A, B, row0, col0)` adds the product of the split's columns of A and rows of B.
/// @param split_steps  steps along K of one team
template <Kernel kernel, class Accumulator, class Member, class T, class Tile, class Multiply>
__device__ __forceinline__ void multiply_split(const Team<Member, Tile>& team, const Products<T>& batch,
                                               Index split_steps, const Multiply& multiply) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  T* const scratch = static_cast<T*>(scratch_memory(team.member, split_bytes<kernel, T, Tile>));
  const unsigned splits = detail::cluster::size();
  const GemmArgs<T> args = product_of(team, batch);
  const Origin origin = origin_of_tile(team.tile, args.C, team.rank_in_league() % team.tiles / splits);
  const Index steps = (args.A.cols + Tile::bk() - 1) / Tile::bk();
  const Index first = detail::cluster::rank() * split_steps, end = first + split_steps;
  const auto [A, B] = detail::steps_of(args, {0, first, end < steps ? end : steps, 0}, steps, Tile::bk());
  Accumulator acc(team.rank(), detail::conjugates_b(A, B));
  multiply(acc, scratch, A, B, origin.row0, origin.col0);

  barrier(team);  // before partial sums overwrite the last panels
  const auto rank = detail::unforeseen(team.rank_in_league());
  const auto again = team.again(batch);
  const GemmArgs<T> product = product_of(again, batch, rank);
  const Origin to = origin_of_tile(team.tile, product.C, rank % again.tiles / splits);
  detail::ClusterSum<T, Tile>::store(acc, reinterpret_cast<Scalar<T>*>(scratch), product.C, to.row0, to.col0,
                                     product.alpha, product.beta, team.rank(),
                                     detail::reads_conjugates(product.A));
}

/// Launches the rung: one cluster per tile of C of each product.
template <Kernel kernel, class T, class Tile, class Exec>
void launch_split(const Exec& exec, const BatchArgs<T>& args, const Tile& tile, const GemmPlan& plan) {
  const Index tiles = tiles_of_league(args.first.C, tile);
  if (tiles > max_teams / plan.split_k) {
    throw Error(detail::text("too many tiles of C for one launch (", tiles, " of ", plan.split_k,
                             " teams each): take a larger tile or split C"));
  }
  constexpr std::size_t bytes = split_bytes<kernel, T, Tile> + 2 * scratch_alignment;
  const Index teams = tiles * plan.split_k;
  const std::string name = detail::text("rooftile::", rung_of(kernel).name);
  with_functor<kernel, T, Tile>(plan.vectors, [&]<class Functor>() {
    detail::for_each_part(args, max_products_of_launch<Exec>(args, teams), knows_both_dimensions<Tile>,
                          [&](const BatchArgs<T>& part) {
                            start_on_cuda<Tile::max_threads, Tile::min_teams>(
                                exec, name, {part.batch.count * teams, Tile::max_threads, bytes},
                                Functor{products_of(part), tile, plan.split_steps},
                                static_cast<int>(plan.split_k));
                          });
  });
}

}  // namespace rooftile::portable
