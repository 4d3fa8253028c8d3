// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <omp.h>

#include "backends/kokkos/cpu_backend.hpp"
#include "cpu/cpus.hpp"
#include "cpu/forked.hpp"

namespace rooftile::portable {

template <>
struct Backend<Kokkos::OpenMP> : CpuBackend<Kokkos::OpenMP> {
  /// In a parallel region of OpenMP or Kokkos, a launch would wait for itself. A forked process has no other
  /// threads.
  static bool computes_alone(const Kokkos::OpenMP&) { return omp_get_level() > 0 || is_forked(); }

  static int threads(const Kokkos::OpenMP& exec) { return useful_threads(exec.concurrency(), usable_cpus()); }

  static ThreadOfLaunch this_thread() { return {omp_get_thread_num(), omp_get_num_threads()}; }
};

}  // namespace rooftile::portable
