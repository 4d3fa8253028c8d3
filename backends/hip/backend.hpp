// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/openmp/backend.hpp"

namespace rooftile::portable {

template <>
struct Backend<Kokkos::HIP> {
  static constexpr bool one_thread_teams = false;

  static BlockLimits limits(const Kokkos::HIP& exec) {
    const hipDeviceProp_t& device = exec.hip_device_prop();
    return {device.maxThreadsPerBlock, device.sharedMemPerBlock};
  }

  KOKKOS_FUNCTION static void* aligned_scratch(void* memory) {
    return __builtin_assume_aligned(memory, scratch_alignment);
  }
};

}  // namespace rooftile::portable
