// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/ladder.hpp"
#include "rooftile/types.hpp"

/// Compute modes for interfaces without a mode argument. The variable `ROOFTILE_MATH` lists modes, separated
/// by commas; each applies to products of its element types. All other products use their own mode.
namespace rooftile::bindings {

/// Whether CPUs can compute products of T in a mode other than their own.
template <class T>
inline constexpr bool has_other_mode = [] {
  for (const ComputeMode math : ladder_modes::cpus) {
    if (is_mode_of<T>(math) && !mode_of(math).is_own()) return true;
  }
  return false;
}();

/// The wanted mode for products with a given own mode. The first call reads the variable. A name that is no
/// mode of CPUs prints a line to standard error, once.
ComputeMode wanted_math(ComputeMode own) noexcept;

/// The wanted mode for products of T. Does not read the variable if there is only one mode.
template <class T>
ComputeMode wanted_math() noexcept {
  if constexpr (has_other_mode<T>) {
    return wanted_math(own_mode<T>());
  } else {
    return own_mode<T>();
  }
}

}  // namespace rooftile::bindings
