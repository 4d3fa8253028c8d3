// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile {

namespace detail {

/// The names of the rungs as a list for a message.
inline std::string kernel_names() {
  std::string names;
  for (const Rung& rung : ladder) names += (names.empty() ? "" : ", ") + std::string(rung.name);
  return names;
}

}  // namespace detail

/// The kernel of a name. @throws Error for an unknown one
inline Kernel find_kernel(std::string_view name) {
  for (const Rung& rung : ladder) {
    if (rung.name == name) return rung.kernel;
  }
  throw Error(detail::text("unknown kernel (", name, "): take one of ", detail::kernel_names()));
}

}  // namespace rooftile
