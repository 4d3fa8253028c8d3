// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backends/backend.hpp"
#include "backends/cuda/built.hpp"
#include "backends/cuda/team_launch.hpp"
#include "cuda_native/device.hpp"
#include "cuda_native/device_accessible.hpp"
#include "cuda_native/workspace.hpp"
#include "device/common/delay_injection.hpp"
#include "plan/block_limits.hpp"
#include "plan/register_blocks.hpp"

namespace rooftile::portable {

template <>
struct Backend<Kokkos::Cuda> {
  static constexpr bool one_thread_teams = false;
  static constexpr TileShape cache_blocks(Type) { return {}; }

  static BlockLimits limits(const Kokkos::Cuda& exec) {
    const cudaDeviceProp& device = exec.cuda_device_prop();
    return {device.maxThreadsPerBlock, device.sharedMemPerBlock, device.sharedMemPerBlockOptin};
  }

  static int device(const Kokkos::Cuda& exec) { return exec.cuda_device(); }
  static std::string_view device_name(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().name; }
  static int sm_count(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().multiProcessorCount; }
  static const model::Costs& costs(const Kokkos::Cuda& exec) {
    return cuda_native::facts_of(exec.cuda_device()).costs;
  }

  static detail::Access device_accessible(const Kokkos::Cuda& exec, const void* address) {
    return cuda_native::device_accessible(exec.cuda_device(), address);
  }

  static void release_workspace(const Kokkos::Cuda& exec) { cuda_native::release_pool(exec.cuda_device()); }

  static constexpr std::span<const ComputeMode> warp_mma = ladder_modes::warp_mma;
  static bool has_warp_mma(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().major >= 8; }

  static constexpr std::span<const ComputeMode> wgmma =
      is_built_for_sm_90a ? std::span<const ComputeMode>(ladder_modes::wgmma)
                          : std::span<const ComputeMode>();
  static bool has_warpgroups(const Kokkos::Cuda& exec) {
    return exec.cuda_device_prop().major == 9 && exec.cuda_device_prop().minor == 0;
  }

  static constexpr bool asynchronous_copies = true;

  /// The second launch bound: the teams that share an SM. With Kokkos' team members, a fourth team of complex
  /// numbers in tf32 would spill registers on the stream-K rung.
  static constexpr int min_teams(const Rung& rung, TileShape shape, Type type) {
    const int teams = detail::teams_per_sm(shape, type);
    return rung.is_warp_mma() && rung.split_k == SplitK::stream_k && type == Type::cfp32 ? std::min(teams, 3)
                                                                                         : teams;
  }

  static constexpr bool batch_in_one_launch = true;

  /// Constant widths are unrolled completely, as nvcc would do. Run-time widths are unrolled twice: more
  /// would need more registers than two teams per SM leave each other.
  template <class Tile>
  static constexpr int unroll = Tile::constant_bk == 0 ? 2 : Tile::constant_bk;

  template <int max_threads, int min_teams, class Functor>
  static void start(const Kokkos::Cuda& exec, const std::string& name, const TeamLaunch& launch,
                    const Functor& functor) {
    start_on_cuda<max_threads, min_teams>(exec, name, launch, functor);
  }

  /// A team is a block, because its threads have no vector lanes. `team_barrier` checks this at run time,
  /// which costs registers.
  template <class Member>
  KOKKOS_FUNCTION static void barrier(const Member&) {
    KOKKOS_IF_ON_DEVICE((__syncthreads(); detail::shake<detail::Step::barrier>();))
  }

  /// Kokkos computes scratch pointers at run time. nvcc then knows neither their alignment nor, if the
  /// alignment is masked in, their address space, and reads a tile's row in scalars.
  /// (`__builtin_assume_aligned` and `__isShared` are lost in optimization.) The conversion to the shared
  /// window, the mask and the conversion back show nvcc both, and it uses LDS.128.
  KOKKOS_FUNCTION static void* aligned_scratch(void* memory) {
    KOKKOS_IF_ON_DEVICE(
        (return __cvta_shared_to_generic(__cvta_generic_to_shared(memory) & ~(scratch_alignment - 1));))
    KOKKOS_IF_ON_HOST((return memory;))
  }
};

}  // namespace rooftile::portable
