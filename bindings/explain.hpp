// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/openmp/explain.hpp"
#include "bindings/openmp_threads.hpp"

namespace rooftile::bindings {

/// The blocks that products of T are computed in: those of the numbers that are summed.
template <class T>
TileShape blocks() {
  using Part = std::conditional_t<multiplies_fp64(mode_of(own_math<T>()).sum), double, float>;
  return portable::cache_blocks<Part>();
}

/// What the kernel does for products, as a log has it. @pre they are prepared
template <class T>
GemmPlan explain(const BatchArgs<T>& ready) {
  GemmPlan plan;
  plan.kernel = Kernel::packed, plan.tile = blocks<T>(), plan.math = own_math<T>();
  plan.why = "the kernel of CPUs";
  portable::explain_packed<T>(ready, OpenMpThreads::count(), OpenMpThreads::computes_alone(), plan);
  return plan;
}

}  // namespace rooftile::bindings
