// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/options.hpp"

namespace rooftile::detail {

/// Whether the options of a call select the default of a CPU: the kernel `packed` with its own blocks, in the
/// own mode of the element types. The options may name this kernel and this mode.
constexpr bool is_default_call(const GemmOptions& options, ComputeMode own) {
  const bool packed = options.kernel == Kernel::automatic || options.kernel == cpu_kernel;
  const bool in_own_mode = options.math == ComputeMode::automatic || options.math == own;
  GemmOptions others = options;
  others.kernel = default_options.kernel, others.math = default_options.math;
  return packed && in_own_mode && others == default_options;
}

}  // namespace rooftile::detail
