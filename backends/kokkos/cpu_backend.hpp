// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

#include "backends/backend.hpp"
#include "backends/kokkos/cpu_tiles.hpp"
#include "cpu/blocks.hpp"
#include "cpu/workspace.hpp"
#include "plan/block_limits.hpp"

namespace rooftile::portable {

/// The common part of the CPU backends: everything but the number of threads.
template <class Exec>
struct CpuBackend {
  static constexpr bool one_thread_teams = true;

  /// The limits apply to the threads that a tile stands for, not to the threads of the machine.
  static BlockLimits limits(const Exec&) {
    return {max_run_time_tile * max_run_time_tile, tile_scratch_bytes};
  }

  static int device(const Exec&) { return 0; }

  static std::string_view device_name(const Exec&) {
    // Never destroyed: a program may multiply in an `atexit` handler.
    static const std::string& name = *new std::string(
        "CPU with " + std::string(instruction_set()) + ", blocks of " +
        to_string(portable::cache_blocks<float>()) + " and " + to_string(portable::cache_blocks<double>()));
    return name;
  }

  static int sm_count(const Exec&) { return 0; }
  static const model::Costs& costs(const Exec&) { return model::unknown_costs; }

  static detail::Access device_accessible(const Exec&, const void*) { return detail::Access::reached; }

  static void release_workspace(const Exec&) { kept_workspace().release(); }

  static constexpr std::span<const ComputeMode> warp_mma{};
  static bool has_warp_mma(const Exec&) { return false; }
  static constexpr std::span<const ComputeMode> wgmma{};
  static bool has_warpgroups(const Exec&) { return false; }

  static constexpr bool asynchronous_copies = false;

  static TileShape cache_blocks(Type type) {
    return multiplies_fp64(type) ? portable::cache_blocks<double>() : portable::cache_blocks<float>();
  }

  static constexpr int min_teams(const Rung&, TileShape, Type) { return 0; }

  static constexpr bool batch_in_one_launch = true;

  template <class Tile>
  static constexpr int unroll = 1;

  template <class Member>
  KOKKOS_FUNCTION static void barrier(const Member& member) {
    member.team_barrier();
  }

  KOKKOS_FUNCTION static void* aligned_scratch(void* memory) {
    return __builtin_assume_aligned(memory, scratch_alignment);
  }
};

}  // namespace rooftile::portable
