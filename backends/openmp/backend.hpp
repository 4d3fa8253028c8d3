// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

#include "backends/openmp/blocks.hpp"
#include "backends/openmp/tiles.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/tile.hpp"

namespace rooftile::portable {

/// Tiles in scratch memory begin at multiples of this, in bytes: the widest load of the GPUs.
inline constexpr std::size_t scratch_alignment = 16;

/// What differs between execution spaces. This is the one of processors: OpenMP, Threads and Serial.
template <class Exec>
struct Backend {
  static_assert(Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible,
                "this execution space has no backend: add a folder beside backends/openmp");

  /// A core runs a tile alone: its vector units stand for the threads that a GPU has.
  static constexpr bool one_thread_teams = true;

  /// The threads are those that the tile stands for, not those of the machine.
  static BlockLimits limits(const Exec&) {
    return {max_run_time_tile * max_run_time_tile, tile_scratch_bytes};
  }

  /// As tuning tables name the device.
  static std::string_view device_name(const Exec&) {
    static const std::string name = "processor with blocks of " + to_string(portable::cache_blocks<float>()) +
                                    " and " + to_string(portable::cache_blocks<double>());
    return name;
  }

  static int multiprocessors(const Exec&) { return 0; }

  /// What matrix instructions of a warp compute, and whether the device has them: only GPUs do.
  static constexpr std::span<const Math> fragments{};
  static bool has_fragments(const Exec&) { return false; }

  /// Whether copies into a team's scratch memory run by themselves.
  static constexpr bool asynchronous_copies = false;

  /// Blocks for the rung that packs.
  static TileShape cache_blocks(std::size_t element_size) {
    return element_size == sizeof(float) ? portable::cache_blocks<float>() : portable::cache_blocks<double>();
  }

  /// The second launch bound, which processors have not.
  static constexpr int least_teams(const Rung&, TileShape, std::size_t) { return 0; }

  /// Whether the products of a batch share a launch.
  static constexpr bool batch_in_one_launch = true;

  /// How often the loop over a tile's k is unrolled.
  template <class Tile>
  static constexpr int unroll = 1;

  /// Of a kernel whose registers a launch bound counts.
  template <class Member>
  KOKKOS_FUNCTION static void barrier(const Member& member) {
    member.team_barrier();
  }

  /// The same pointer, known to the compiler as a multiple of `scratch_alignment`.
  KOKKOS_FUNCTION static void* aligned_scratch(void* memory) {
    return __builtin_assume_aligned(memory, scratch_alignment);
  }
};

}  // namespace rooftile::portable
