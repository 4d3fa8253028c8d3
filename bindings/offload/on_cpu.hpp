// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "bindings/offload/wanted_math.hpp"
#include "cpu/host_engine.hpp"
#include "cpu/without_memory.hpp"
#include "rooftile/options.hpp"

namespace rooftile::bindings {

/// The options of a call without options: in the compute mode that `ROOFTILE_MATH` selects.
template <class T>
const GemmOptions& wanted_options() noexcept {
  if constexpr (has_other_mode<T>) {
    static const GemmOptions options{.math = wanted_math<T>()};
    return options.math == own_mode<T>() ? default_options : options;
  } else {
    return default_options;
  }
}

/// Computes a prepared product with OpenMP threads. Without memory for a workspace, it uses a slow kernel.
template <class T>
void compute_on_cpu(const GemmArgs<T>& ready) {
  try {
    detail::start<portable::HostEngine, T>({}, ready, ready, wanted_options<T>());
  } catch (const std::bad_alloc&) {  // thrown before C was written
    portable::multiply_without_memory(ready);
  }
}

}  // namespace rooftile::bindings
