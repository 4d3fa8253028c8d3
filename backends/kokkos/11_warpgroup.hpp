// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/on_instance.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "cuda_native/warpgroup/run.hpp"

namespace rooftile::portable {

/// Hopper's tensor cores, fed by TMA. A team has one warpgroup that copies and one or two that multiply, each
/// 64 rows of a tile of C (BM,BN). Tiles of A and B pass through a ring of stages in scratch memory. A team
/// computes one tile after the other. `device/nvidia/warpgroup/roles.hpp` defines the roles of the
/// warpgroups.
template <class G>
struct Warpgroup {
  CUtensorMap A, B, C;  // TMA reads them in the functor, in constant memory
  cuda_native::WarpgroupArgs<typename G::Out, typename G::Factors> args;

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    KOKKOS_IF_ON_DEVICE((compute(member);))
  }

 private:
  template <class Member>
  __device__ __forceinline__ void compute(const Member& member) const {
    namespace hopper = detail::hopper;
    const hopper::WarpgroupShared<G> shared(static_cast<char*>(scratch_memory(member, G::shared_bytes)));
    const hopper::Place here{member.team_rank(), member.league_rank(), member.league_size()};
    hopper::make_ready<G>(shared, here, A, B, args.work.cluster);

    if (here.thread / 128 == G::consumers) {
      hopper::shrink_registers<hopper::producer_registers>();
      if (hopper::copies(here)) hopper::produce<G>(shared, here, A, B, args.work);
    } else {
      hopper::grow_registers<G::consumer_registers>();
      hopper::consume<G>(shared, here, C, args);
    }
    // No team ends while another may still arrive at its barriers.
    hopper::barrier_of_cluster(args.work.cluster);
  }
};

template <>
struct KernelOf<Kernel::warpgroup> {
  template <class G>
  using Functor = Warpgroup<G>;
};

}  // namespace rooftile::portable
