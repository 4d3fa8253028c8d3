// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/run.hpp"
#include "backends/kokkos/threads.hpp"
#include "cpu/driver.hpp"

namespace rooftile::portable {

/// Runs the rung: panels of A and B are packed for the caches and multiplied from registers
/// (`src/cpu/packed.hpp`). fp64 may also use products of int8 (`residues.hpp`). Host execution spaces are
/// synchronous.
template <Kernel kernel, ComputeMode math, class Exec>
void run(const Exec& exec, const BatchArgs<ProductIn<math>>& batch, const GemmPlan& plan) {
  static_assert(kernel == Kernel::packed, "this file has one kernel");
  run_on_cpu(KokkosThreads<Exec>(exec), batch, plan);
}

}  // namespace rooftile::portable
