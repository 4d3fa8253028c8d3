// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include "backends/backend.hpp"

/// Shows a call to Kokkos tools as a named region around its launches.
namespace rooftile::portable {

/// Whether a Kokkos tool is loaded. Without a tool, a call costs no more than this check.
inline bool is_tool_loaded() {
  return Kokkos::Tools::profileLibraryLoaded();
}

/// Whether the calling thread is one of several in a parallel region, which may call at once. Tools have one
/// stack of regions, which concurrent calls would corrupt.
template <class Exec>
bool is_in_launch(const Exec& exec) {
  if constexpr (HasThreads<Exec>) {
    return exec.concurrency() > 1 && Backend<Exec>::computes_alone(exec);
  } else {
    return false;
  }
}

/// Calls `compute` in a region. The region also ends if `compute` throws.
/// @param name  returns the name of the region; called only if a tool is loaded
template <class Exec, class Name, class Compute>
void in_region(const Exec& exec, const Name& name, const Compute& compute) {
  std::optional<Kokkos::Profiling::ScopedRegion> region;
  if (is_tool_loaded() && Kokkos::is_initialized() && !is_in_launch(exec)) region.emplace(name());
  compute();
}

}  // namespace rooftile::portable
