// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include "backends/kokkos/cpu_backend.hpp"

namespace rooftile::portable {

template <>
struct Backend<Kokkos::Serial> : CpuBackend<Kokkos::Serial> {
  static bool computes_alone(const Kokkos::Serial&) { return true; }

  static int threads(const Kokkos::Serial&) { return 1; }

  static ThreadOfLaunch this_thread() { return {0, 1}; }
};

}  // namespace rooftile::portable
