// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <Kokkos_Core.hpp>

#include "backends/backend.hpp"
#include "cuda_native/start.hpp"

/// Launches of teams on CUDA by an entry of our own: Kokkos' functors and team members, with all the shared
/// memory that the device has for a block, where Kokkos before 5.2 gives 48 KiB, and with clusters.
namespace rooftile::portable {

/// A parameter that stays in constant memory. An attribute, hence a macro; GPUs before compute capability 7.0
/// have it not, and no TMA either.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define ROOFTILE_GRID_CONSTANT
#else
#define ROOFTILE_GRID_CONSTANT __grid_constant__
#endif

/// The functor is a parameter that stays where it is, in constant memory: so TMA may read from it. Nothing is
/// kept for what a team member can reduce, which no functor of ours asks for.
template <int max_threads, int min_teams, class Functor>
__global__ void __launch_bounds__(max_threads, min_teams)
    team_entry(const ROOFTILE_GRID_CONSTANT Functor functor, int scratch_bytes) {
  extern __shared__ std::uint64_t team_memory[];
  functor(Kokkos::TeamPolicy<Kokkos::Cuda>::member_type(
      team_memory, 0, scratch_bytes, nullptr, 0, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)));
}

/// Tools of Kokkos see a launch as a `parallel_for` while it lives.
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

/// Starts `functor` on the instance's stream.
/// @param cluster  teams, one behind the other, that run side by side and read each other's memory; where it
/// is above 0 the functor also waits itself for the kernel launched before it
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

/// Clusters of teams of `start_on_cuda` that run at the same time.
template <int max_threads, int min_teams, class Functor>
int resident_clusters_on_cuda(const Kokkos::Cuda& exec, std::size_t scratch_bytes, int cluster) {
  cuda_native::check(cudaSetDevice(exec.cuda_device()), "change to an instance's device");
  const auto kernel = team_entry<max_threads, min_teams, Functor>;
  cuda_native::allow_shared_bytes(kernel, scratch_bytes);
  return cuda_native::resident_clusters<Functor>(kernel, max_threads, scratch_bytes, cluster);
}

}  // namespace rooftile::portable
