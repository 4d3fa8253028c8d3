// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include "cpu/cpus.hpp"
#include "cpu/forked.hpp"
#include "cpu/threads.hpp"

namespace rooftile::portable {

/// OpenMP's threads, of which OMP_NUM_THREADS says how many there are.
struct OpenMpThreads final : Threads {
  int count() const override { return useful_threads(omp_get_max_threads(), usable_cpus()); }

  /// In a parallel region the others have work of their own.
  bool computes_alone() const override { return omp_in_parallel() != 0 || count() == 1 || is_forked(); }

  ThreadOfLaunch this_thread() const override { return {omp_get_thread_num(), omp_get_num_threads()}; }

  /// The runtime may give fewer threads than are asked for: then each calls more than once.
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
