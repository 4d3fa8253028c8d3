// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/ladder.hpp"
#include "rooftile/types.hpp"

/// The modes in which interfaces compute that have no argument for them: those that the variable
/// `ROOFTILE_MATH` names, separated by commas, each for the products of its element types; else their own.
namespace rooftile::bindings {

/// Whether CPUs compute products of T in a mode that is not their own.
template <class T>
inline constexpr bool has_other_mode = [] {
  for (const ComputeMode math : ladder_modes::cpus) {
    if (is_mode_of<T>(math) && !mode_of(math).is_own()) return true;
  }
  return false;
}();

/// What is wanted of products whose own mode is known. The first call reads the variable. A name that CPUs do
/// not compute in costs a line on standard error, once.
ComputeMode wanted_math(ComputeMode own) noexcept;

/// The same of products of T; where there is nothing to choose, nobody looks.
template <class T>
ComputeMode wanted_math() noexcept {
  if constexpr (has_other_mode<T>) {
    return wanted_math(own_mode<T>());
  } else {
    return own_mode<T>();
  }
}

}  // namespace rooftile::bindings
