// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/nvidia/warpgroup/roles.hpp"

/// One persistent kernel for Hopper's tensor cores. `roles.hpp` defines the roles of its warpgroups.
namespace rooftile::cuda_native {

using namespace detail::hopper;

/// Returns the position of the calling thread.
__device__ inline Place place() {
  return {static_cast<int>(threadIdx.x), static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)};
}

template <class G>
__global__ void __launch_bounds__(G::threads, 1)
    warpgroup(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
              const __grid_constant__ CUtensorMap C,
              const __grid_constant__ WarpgroupArgs<typename G::Out, typename G::Factors> args) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ char raw[];
  const WarpgroupShared<G> shared(raw);
  const Place here = place();
  make_ready<G>(shared, here, A, B, args.work.cluster);

  if (here.thread / 128 == G::consumers) {
    shrink_registers<producer_registers>();
    if (copies(here)) produce<G>(shared, here, A, B, args.work);
  } else {
    grow_registers<G::consumer_registers>();
    consume<G>(shared, here, C, args);
  }
  barrier_of_cluster(args.work.cluster);  // no block ends while another may still arrive at its barriers
#endif
}

}  // namespace rooftile::cuda_native
