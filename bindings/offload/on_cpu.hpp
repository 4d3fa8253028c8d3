// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "bindings/offload/wanted_math.hpp"
#include "cpu/blocks.hpp"
#include "cpu/driver.hpp"
#include "cpu/openmp_threads.hpp"
#include "plan/plan_residues.hpp"

namespace rooftile::bindings {

/// Adds to a plan what products of int8 take. @pre the products are prepared
template <class T>
void plan_int8(const BatchArgs<T>& ready, GemmPlan& plan) {
  plan.desc.shape = ready.shape(), plan.desc.type = type_of<T>();
  detail::plan_residues(plan,
                        portable::OpenMpThreads().computes_alone() ? 1 : portable::OpenMpThreads().count(),
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
      plan.tile = portable::real_blocks<T>();
      plan_int8(ready, plan);
      return portable::run_residues<T>(portable::OpenMpThreads(), ready, plan);
    }
  }
  portable::run_packed<T>(portable::OpenMpThreads(), ready, portable::real_blocks<T>());
}

}  // namespace rooftile::bindings
