// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// For CPUs
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include "backends/kokkos/run.hpp"
#include "backends/openmp/driver.hpp"

namespace rooftile::portable {

/// The threads of an execution space.
template <class Exec>
class KokkosThreads {
 public:
  explicit KokkosThreads(const Exec& exec) : exec_(exec) {}

  int count() const { return exec_.concurrency(); }
  bool computes_alone() const { return Backend<Exec>::computes_alone(exec_); }
  static ThreadOfLaunch this_thread() { return Backend<Exec>::this_thread(); }

  template <class Functor>
  void start(Index size, const Functor& functor) const {
    const std::string name = "rooftile::" + std::string(rung_of(Kernel::packed).name);
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec_, 0, size), functor);
  }

 private:
  const Exec& exec_;
};

/// Starts the rung: panels of A and B packed for the caches, multiplied out of the registers
/// (`backends/openmp/driver.hpp`). Host execution spaces are synchronous.
template <Kernel kernel, Math math, class Exec>
void run(const Exec& exec, const BatchArgs<ElementIn<math>>& batch, const GemmPlan& plan) {
  static_assert(kernel == Kernel::packed, "this file has one kernel");
  run_packed(KokkosThreads<Exec>(exec), batch, plan.tile);
}

}  // namespace rooftile::portable
