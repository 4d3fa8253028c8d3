// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "backends/openmp/blocks.hpp"
#include "backends/openmp/driver.hpp"
#include "bindings/openmp_threads.hpp"
#include "bindings/wanted_math.hpp"
#include "rooftile/detail/plan_residues.hpp"

namespace rooftile::bindings {

/// The blocks that products of T are computed in: those of the numbers that are summed.
template <class T>
TileShape blocks() {
  using Part = std::conditional_t<multiplies_fp64(mode_of(own_math<T>()).sum), double, float>;
  return portable::cache_blocks<Part>();
}

/// Adds to a plan what products of int8 take. @pre the products are prepared
template <class T>
void plan_int8(const BatchArgs<T>& ready, GemmPlan& plan) {
  plan.desc.shape = ready.shape(), plan.desc.type = type_of<T>();
  detail::plan_residues(plan, OpenMpThreads().computes_alone() ? 1 : OpenMpThreads().count(),
                        std::numeric_limits<std::size_t>::max());
}

/// Computes products by OpenMP's threads, in the mode that is wanted.
/// @pre they are prepared, C has elements
/// @throws std::bad_alloc before C is written
template <class T>
void run_on_cpu(const BatchArgs<T>& ready) {
  if constexpr (has_other_mode<T>) {
    if (takes_residues(wanted_math<T>())) [[unlikely]] {
      GemmPlan plan;
      plan.tile = blocks<T>();
      plan_int8(ready, plan);
      return portable::run_residues<T>(OpenMpThreads(), ready, plan);
    }
  }
  portable::run_packed<T>(OpenMpThreads(), ready, blocks<T>());
}

}  // namespace rooftile::bindings
