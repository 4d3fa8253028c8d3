// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/engine.hpp"
#include "cpu/openmp_threads.hpp"

namespace rooftile::portable {

/// The engine on OpenMP threads, without Kokkos.
class HostEngine : public CpuEngine<HostEngine> {
 public:
  static OpenMpThreads threads() { return {}; }

  static Target target(ComputeMode own) {
    const OpenMpThreads threads;
    return {.path = Path::portable,
            .limits = {},
            .math = own,
            .cache_blocks =
                multiplies_fp64(mode_of(own).accumulator) ? cache_blocks<double>() : cache_blocks<float>(),
            .threads = threads.computes_alone() ? 1 : threads.count()};
  }

  static void require() {}
  static int enter() { return 0; }

  template <class T>
  void run(const GemmPlan& plan, const BatchArgs<T>& ready, std::size_t /*number*/ = 0) const {
    run_on_cpu(threads(), ready, plan);
  }

  static bool is_profiled() { return false; }
  template <class Name, class Compute>
  static void in_region(const Name&, const Compute& compute) {
    compute();
  }
  static void wait() {}
};

}  // namespace rooftile::portable
