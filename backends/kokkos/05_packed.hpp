// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// For CPUs
#pragma once

#include "backends/kokkos/run.hpp"
#include "backends/kokkos/threads.hpp"
#include "cpu/driver.hpp"

namespace rooftile::portable {

/// Starts the rung: panels of A and B packed for the caches, multiplied out of the registers
/// (`src/cpu/packed.hpp`), fp64 also by products of int8 (`residues.hpp`). Host execution spaces are
/// synchronous.
template <Kernel kernel, Math math, class Exec>
void run(const Exec& exec, const BatchArgs<ProductIn<math>>& batch, const GemmPlan& plan) {
  static_assert(kernel == Kernel::packed, "this file has one kernel");
  if constexpr (takes_residues(math)) {
    run_residues(KokkosThreads<Exec>(exec), batch, plan);
  } else {
    run_packed(KokkosThreads<Exec>(exec), batch, plan.tile);
  }
}

}  // namespace rooftile::portable
