// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile {

namespace detail {

/// Returns the names of the rungs, for a message.
inline std::string kernel_names() {
  std::string names;
  for (const Rung& rung : ladder) names += (names.empty() ? "" : ", ") + std::string(rung.name);
  return names;
}

}  // namespace detail

/// A kernel and whether operands are repacked for it first. Tables and results name it `pipelined+repack`.
struct NamedKernel {
  Kernel kernel = Kernel::automatic;  ///< the kernel
  bool repack = false;                ///< whether operands are repacked first
};

/// Returns the name. @pre `kernel` is not `automatic`
inline std::string to_string(const NamedKernel& named) {
  return std::string(rung_of(named.kernel).name) + (named.repack ? "+repack" : "");
}

/// Returns the kernel with a name. @throws Error  for an unknown name
inline Kernel find_kernel(std::string_view name) {
  for (const Rung& rung : ladder) {
    if (rung.name == name) return rung.kernel;
  }
  throw Error(detail::text("unknown kernel (", name, "): take one of ", detail::kernel_names()));
}

/// Returns the kernel with a name, with or without `+repack`. @throws Error  for an unknown name
inline NamedKernel find_named(std::string_view name) {
  constexpr std::string_view repack = "+repack";
  const bool repacked = name.ends_with(repack);
  return {find_kernel(name.substr(0, name.size() - (repacked ? repack.size() : 0))), repacked};
}

}  // namespace rooftile
