// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include "backends/openmp/cpus.hpp"
#include "backends/openmp/forked.hpp"
#include "backends/openmp/threads.hpp"

namespace rooftile::bindings {

/// OpenMP's threads, of which OMP_NUM_THREADS says how many there are.
struct OpenMpThreads final : portable::Threads {
  int count() const override {
    return portable::useful_threads(omp_get_max_threads(), portable::usable_cpus());
  }

  /// In a parallel region the others have work of their own.
  bool computes_alone() const override {
    return omp_in_parallel() != 0 || count() == 1 || portable::is_forked();
  }

  portable::ThreadOfLaunch this_thread() const override {
    return {omp_get_thread_num(), omp_get_num_threads()};
  }

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

}  // namespace rooftile::bindings
