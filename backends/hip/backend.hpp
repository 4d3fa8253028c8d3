// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/openmp/backend.hpp"

namespace rooftile::portable {

template <>
struct Backend<Kokkos::HIP> {
  static constexpr bool one_thread_teams = false;
  static constexpr TileShape cache_blocks(std::size_t) { return {}; }

  static BlockLimits limits(const Kokkos::HIP& exec) {
    const hipDeviceProp_t& device = exec.hip_device_prop();
    return {device.maxThreadsPerBlock, device.sharedMemPerBlock};
  }

  static std::string_view device_name(const Kokkos::HIP& exec) { return exec.hip_device_prop().name; }
  static int multiprocessors(const Kokkos::HIP& exec) { return exec.hip_device_prop().multiProcessorCount; }

  static constexpr bool has_fragments = false;
  static bool fragments(const Kokkos::HIP&) { return false; }

  /// The second launch bound is waves per SIMD unit here, which the compiler knows best itself.
  static constexpr bool bounds_teams = false;

  /// A launch for each: what finds a product in a league costs the pipelined rungs up to 22 scalar registers
  /// more than a wave has.
  static constexpr bool batch_in_one_launch = false;

  /// clang would unroll 32 steps whole, load them all first and spill what 1,024 threads have no registers
  /// for.
  template <class Tile>
  static constexpr int unroll = 8;

  KOKKOS_FUNCTION static void* aligned_scratch(void* memory) {
    return __builtin_assume_aligned(memory, scratch_alignment);
  }
};

}  // namespace rooftile::portable
