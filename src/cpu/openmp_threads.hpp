// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include "cpu/cpus.hpp"
#include "cpu/forked.hpp"
#include "cpu/threads.hpp"

namespace rooftile::portable {

/// OpenMP threads. OMP_NUM_THREADS sets their number.
struct OpenMpThreads final : Threads {
  int count() const override { return useful_threads(omp_get_max_threads(), usable_cpus()); }

  /// Inside a parallel region, the other threads have their own work.
  bool computes_alone() const override { return omp_in_parallel() != 0 || count() == 1 || is_forked(); }

  ThreadOfLaunch this_thread() const override { return {omp_get_thread_num(), omp_get_num_threads()}; }

  /// The runtime may start fewer threads than requested. Each thread then calls `work` several times.
  void start(Index size, Work work) const override {
    const int wanted = static_cast<int>(size);
#pragma omp parallel num_threads(wanted)
    {
      const auto [rank, threads] = this_thread();
      for (Index i = rank; i < size; i += threads) work(i);
    }
  }
};

}  // namespace rooftile::portable
