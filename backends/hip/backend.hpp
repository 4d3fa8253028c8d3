// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "plan/block_limits.hpp"
#include "plan/costs/find_costs.hpp"
#include "plan/device_accessible.hpp"

namespace rooftile::portable {

template <>
struct Backend<Kokkos::HIP> {
  static constexpr bool one_thread_teams = false;
  static constexpr TileShape cache_blocks(Type) { return {}; }

  static BlockLimits limits(const Kokkos::HIP& exec) {
    const hipDeviceProp_t& device = exec.hip_device_prop();
    return {device.maxThreadsPerBlock, device.sharedMemPerBlock};
  }

  static int device(const Kokkos::HIP& exec) { return exec.hip_device(); }
  static std::string_view device_name(const Kokkos::HIP& exec) { return exec.hip_device_prop().name; }
  static int sm_count(const Kokkos::HIP& exec) { return exec.hip_device_prop().multiProcessorCount; }

  static const model::Costs& costs(const Kokkos::HIP& exec) {
    static const std::vector<model::Costs>& of_all = *new std::vector([] {  // never destroyed, as in CUDA's
      int count = 0;
      static_cast<void>(hipGetDeviceCount(&count));
      std::vector<model::Costs> all;
      for (int each = 0; each < count; ++each) {
        hipDeviceProp_t told{};  // stays 0 (unknown) if the query fails
        static_cast<void>(hipGetDeviceProperties(&told, each));
        model::Device gpu;
        gpu.name = told.name, gpu.vendor = model::Vendor::amd, gpu.architecture = told.gcnArchName;
        gpu.sms = told.multiProcessorCount;
        gpu.clock_mhz = 1e-3 * told.clockRate;
        // Double data rate: two transfers per clock over the whole bus.
        gpu.bandwidth_gbs = 2e-6 * told.memoryClockRate * told.memoryBusWidth / 8;
        all.push_back(model::costs_here(gpu));
      }
      return all;
    }());
    return of_all.at(static_cast<std::size_t>(exec.hip_device()));
  }

  static detail::Access device_accessible(const Kokkos::HIP& exec, const void* address) {
    if (exec.hip_device_prop().pageableMemoryAccess != 0) return detail::Access::reached;
    const auto kind = [&] {
      hipPointerAttribute_t told{};
      const hipError_t status = hipPointerGetAttributes(&told, address);
      if (status != hipSuccess) static_cast<void>(hipGetLastError());
      // HIP reports memory that it does not know as an invalid value or as unregistered, depending on its
      // version.
      if (status == hipErrorInvalidValue) return detail::MemoryKind::unregistered;
      if (status != hipSuccess) return detail::MemoryKind::untold;
#if HIP_VERSION_MAJOR >= 6
      if (told.type == hipMemoryTypeUnregistered) return detail::MemoryKind::unregistered;
#endif
      return detail::MemoryKind::registered;
    };
    return detail::access_of(kind(), false);
  }

  /// Does nothing: the device's pool keeps no memory after a fence.
  static void release_workspace(const Kokkos::HIP&) {}

  /// The compute modes of MFMA. `has_warp_mma` names the GPUs for which `detail::has_mfma` is true.
  static constexpr std::span<const ComputeMode> warp_mma = ladder_modes::mfma;
  static bool has_warp_mma(const Kokkos::HIP& exec) {
    const std::string_view name = exec.hip_device_prop().gcnArchName;  // gfx942:sramecc+:xnack-
    return name.starts_with("gfx90a") || name.starts_with("gfx942");
  }

  static constexpr std::span<const ComputeMode> wgmma{};
  static bool has_warpgroups(const Kokkos::HIP&) {
    return false;
  }

  static constexpr bool asynchronous_copies = false;

  /// The second launch bound of HIP is waves per SIMD unit. The compiler chooses it best, except for matrix
  /// instructions. With 2, each wave has half of the registers and uses any of them. Otherwise half of the
  /// registers can hold only sums.
  static constexpr int min_teams(const Rung& rung, TileShape, Type) {
    return rung.is_warp_mma() ? 2 : 0;
  }

  /// Each product has its own launch. To find a product in a league costs the pipelined rungs up to 22 scalar
  /// registers more than a wave has.
  static constexpr bool batch_in_one_launch = false;

  /// clang would unroll 32 steps completely, load all values first and spill: a team of 1,024 threads leaves
  /// too few registers.
  template <class Tile>
  static constexpr int unroll = 8;

  template <int max_threads, int min_teams, class Functor>
  static void start(const Kokkos::HIP& exec, const std::string& name, const TeamLaunch& launch,
                    const Functor& functor) {
    using Policy = Kokkos::TeamPolicy<Kokkos::HIP, Kokkos::LaunchBounds<max_threads, min_teams>>;
    Policy policy(exec, static_cast<int>(launch.teams), launch.threads, 1);
    if (launch.scratch_bytes > 0) policy.set_scratch_size(0, Kokkos::PerTeam(launch.scratch_bytes));
    Kokkos::parallel_for(name, policy, functor);
  }

  template <class Member>
  KOKKOS_FUNCTION static void barrier(const Member& member) {
    member.team_barrier();
  }

  KOKKOS_FUNCTION static void* aligned_scratch(void* memory) {
    return __builtin_assume_aligned(memory, scratch_alignment);
  }
};

}  // namespace rooftile::portable
