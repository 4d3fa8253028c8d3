// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "bindings/offload/wanted_math.hpp"
#include "cpu/host_engine.hpp"
#include "cpu/without_memory.hpp"
#include "rooftile/options.hpp"

namespace rooftile::bindings {

/// The options of a call that has none: in the mode that is wanted.
template <class T>
const GemmOptions& wanted_options() noexcept {
  if constexpr (has_other_mode<T>) {
    static const GemmOptions options{.math = wanted_math<T>()};
    return options.math == own_mode<T>() ? default_options : options;
  } else {
    return default_options;
  }
}

/// Computes a product that is prepared by OpenMP's threads; without memory for a workspace, slowly.
template <class T>
void compute_on_cpu(const GemmArgs<T>& ready) {
  try {
    detail::start<portable::HostEngine, T>({}, ready, ready, wanted_options<T>());
  } catch (const std::bad_alloc&) {  // before C was written
    portable::multiply_without_memory(ready);
  }
}

}  // namespace rooftile::bindings
