// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "backends/cuda/workspace.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/repack.hpp"
#include "backends/kokkos/teams.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "cuda_native/warpgroup/run.hpp"

/// Launches of the rungs of Hopper's tensor cores on an instance; `cuda_native/warpgroup/run.cuh` is the
/// native counterpart.
namespace rooftile::portable {

/// `detail::SplitSum` for some products of a batch, with `teams` teams per product.
template <class Sum>
struct SplitSum {
  Sum sum;
  unsigned teams;  ///< per product

  static constexpr std::size_t scratch_bytes = sizeof(typename Sum::Sums) * Sum::threads;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const sums = static_cast<typename Sum::Sums*>(scratch_memory(member, scratch_bytes));
    const auto rank = static_cast<unsigned>(member.league_rank());
    sum.compute(rank % teams, rank / teams, static_cast<unsigned>(member.team_rank()), sums,
                [&member] { member.team_barrier(); });
  }
};

template <Kernel kernel>
struct OnInstance {
  const Kokkos::Cuda& exec;

  DeviceWorkspace workspace(std::size_t bytes, void* memory) const { return {exec, bytes, memory}; }

  template <class T, class Store>
  void repack(const detail::Repack<T, Store>& copies) const {
    launch_repack(exec, copies);
  }

  template <class G>
  void multiply(const cuda_native::WarpgroupLaunch<G>& launch) const {
    using Functor = typename KernelOf<kernel>::template Functor<G>;
    constexpr std::size_t bytes = G::shared_bytes + 2 * scratch_alignment;
    const int cluster = launch.cluster_size();
    const int blocks = launch.blocks(resident_clusters_on_cuda<G::threads, 1, Functor>(exec, bytes, cluster));
    start_on_cuda<G::threads, 1>(exec, name(), {blocks, G::threads, bytes},
                                 Functor{launch.a, launch.b, launch.c, launch.args}, cluster);
  }

  template <class T, class Out>
  void sum(const detail::SplitSum<T, Out>& of, Index count) const {
    using Sum = detail::SplitSum<T, Out>;
    const Index teams = of.teams(), max_count = max_teams / teams;
    for (Index first = 0; first < count; first += max_count) {
      Sum part = of;
      part.partial += first * of.splits * of.split_stride;
      part.C.data += first * of.c_stride;
      start_teams<Sum::threads, 0>(exec, name() + "_sum", std::min(count - first, max_count) * teams,
                                   Sum::threads, SplitSum<Sum>::scratch_bytes,
                                   SplitSum<Sum>{part, static_cast<unsigned>(teams)});
    }
  }

  template <ComputeMode math, TileShape shape>
  void run(const cuda_native::WarpgroupProblem<math>& problem, const GemmPlan& plan) const {
    cuda_native::run_warpgroup<math, shape>(*this, problem, plan);
  }

 private:
  static std::string name() { return detail::text("rooftile::", rung_of(kernel).name); }
};

template <Kernel kernel, ComputeMode math, class Exec>
void launch_warpgroups(const Exec& exec, const BatchArgs<ProductIn<math>>& args, const GemmPlan& plan) {
  cuda_native::run_warpgroup_rung<kernel, math>(OnInstance<kernel>{exec}, args, plan);
}

}  // namespace rooftile::portable
