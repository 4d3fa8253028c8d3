// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include "backends/kokkos/backend.hpp"
#include "backends/openmp/thread_of_launch.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/matrix.hpp"

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
    static const std::string name = "rooftile::" + std::string(rung_of(Kernel::packed).name);
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec_, 0, size), functor);
  }

 private:
  const Exec& exec_;
};

}  // namespace rooftile::portable
