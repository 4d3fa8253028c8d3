// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/openmp/explain.hpp"
#include "bindings/offload.hpp"
#include "bindings/openmp_threads.hpp"
#include "rooftile/detail/batch.hpp"

namespace rooftile::bindings {

/// The blocks that products of T are computed in: those of the numbers that are summed.
template <class T>
TileShape blocks() {
  using Part = std::conditional_t<multiplies_fp64(mode_of(own_math<T>()).sum), double, float>;
  return portable::cache_blocks<Part>();
}

/// What was done for the calling thread's last products, as a log has it. @pre they are prepared
template <class T>
GemmPlan explain(const BatchArgs<T>& ready) {
  GemmPlan plan;
  if (last_was_gpu) {
    gpu::Answer answer;
    const gpu::Functions* const part = gpu_part(answer);
    if (part != nullptr && part->explain(type_of<T>(), &ready, nullptr, plan)) return plan;
  }
  plan.kernel = Kernel::packed, plan.tile = blocks<T>(), plan.math = own_math<T>();
  plan.why = "the kernel of CPUs";
  if (detail::nothing_to_do(ready)) return plan;
  portable::explain_packed<T>(ready, OpenMpThreads::count(), OpenMpThreads::computes_alone(), plan);
  return plan;
}

}  // namespace rooftile::bindings
