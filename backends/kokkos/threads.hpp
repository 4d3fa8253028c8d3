// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include "backends/kokkos/backend.hpp"
#include "cpu/threads.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::portable {

/// The threads of an execution space.
template <class Exec>
class KokkosThreads final : public Threads {
 public:
  explicit KokkosThreads(const Exec& exec) : exec_(exec) {}

  int count() const override { return Backend<Exec>::threads(exec_); }
  bool computes_alone() const override { return Backend<Exec>::computes_alone(exec_); }
  ThreadOfLaunch this_thread() const override { return Backend<Exec>::this_thread(); }

  void start(Index size, Work work) const override {
    // Never destroyed: a program may multiply in an `atexit` handler.
    static const std::string& name =
        *new std::string("rooftile::" + std::string(rung_of(Kernel::packed).name));
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec_, 0, size), work);
  }

 private:
  const Exec& exec_;
};

}  // namespace rooftile::portable
