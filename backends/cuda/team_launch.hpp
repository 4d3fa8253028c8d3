// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <Kokkos_Core.hpp>

#include "backends/backend.hpp"
#include "cuda_native/start.hpp"

/// Launches of teams on CUDA through Rooftile's own kernel entry, with Kokkos' functors and team members. It
/// supports clusters and all the shared memory that the device has for a block; Kokkos before 5.2 gives 48
/// KiB.
namespace rooftile::portable {

/// A parameter that stays in constant memory. It is an attribute and therefore a macro. GPUs before compute
/// capability 7.0 have neither the attribute nor TMA.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define ROOFTILE_GRID_CONSTANT
#else
#define ROOFTILE_GRID_CONSTANT __grid_constant__
#endif

/// The functor is a parameter that stays in constant memory, so that TMA may read from it. The entry reserves
/// no memory for reductions of a team member, which no functor here uses.
template <int max_threads, int min_teams, class Functor>
__global__ void __launch_bounds__(max_threads, min_teams)
    team_entry(const ROOFTILE_GRID_CONSTANT Functor functor, int scratch_bytes) {
  extern __shared__ std::uint64_t team_memory[];
  functor(Kokkos::TeamPolicy<Kokkos::Cuda>::member_type(
      team_memory, 0, scratch_bytes, nullptr, 0, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)));
}

/// Shows a launch to Kokkos tools as a `parallel_for` while the object lives.
class SeenByTools {
 public:
  SeenByTools(const Kokkos::Cuda& exec, const std::string& name) {
    if (seen_) Kokkos::Tools::beginParallelFor(name, Kokkos::Tools::Experimental::device_id(exec), &id_);
  }
  ~SeenByTools() {
    if (seen_) Kokkos::Tools::endParallelFor(id_);
  }
  SeenByTools(const SeenByTools&) = delete;
  SeenByTools& operator=(const SeenByTools&) = delete;

 private:
  bool seen_ = Kokkos::Tools::profileLibraryLoaded();
  std::uint64_t id_ = 0;
};

/// Launches `functor` on the instance's stream.
/// @param cluster  number of consecutive teams that run at the same time and read each other's memory. If it
///   is above 0, the functor must itself wait for the previous kernel
template <int max_threads, int min_teams, class Functor>
void start_on_cuda(const Kokkos::Cuda& exec, const std::string& name, const TeamLaunch& launch,
                   const Functor& functor, int cluster = 0) {
  if (launch.teams == 0) return;
  const SeenByTools seen(exec, name);
  cuda_native::check(cudaSetDevice(exec.cuda_device()), "change to an instance's device");
  const auto kernel = team_entry<max_threads, min_teams, Functor>;
  cuda_native::allow_shared_bytes(kernel, launch.scratch_bytes);
  const dim3 grid(static_cast<unsigned>(launch.teams)), block(1, static_cast<unsigned>(launch.threads));
  const int bytes = static_cast<int>(launch.scratch_bytes);
  if (cluster > 0) {
    cuda_native::launch_behind(exec.cuda_stream(), kernel, grid, block, launch.scratch_bytes, cluster,
                               functor, bytes);
  } else {
    cuda_native::launch_kernel(exec.cuda_stream(), kernel, grid, block, launch.scratch_bytes, functor, bytes);
  }
}

/// Returns the number of clusters of teams from `start_on_cuda` that run at the same time.
template <int max_threads, int min_teams, class Functor>
int resident_clusters_on_cuda(const Kokkos::Cuda& exec, std::size_t scratch_bytes, int cluster) {
  cuda_native::check(cudaSetDevice(exec.cuda_device()), "change to an instance's device");
  const auto kernel = team_entry<max_threads, min_teams, Functor>;
  cuda_native::allow_shared_bytes(kernel, scratch_bytes);
  return cuda_native::resident_clusters<Functor>(kernel, max_threads, scratch_bytes, cluster);
}

}  // namespace rooftile::portable
