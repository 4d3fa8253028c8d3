// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include "backends/backend.hpp"

/// How tools of Kokkos see a call: as a region with a name, round whatever it launches.
namespace rooftile::portable {

/// Whether a tool listens: all that a call costs whose program has loaded none.
inline bool is_tool_loaded() {
  return Kokkos::Tools::profileLibraryLoaded();
}

/// Whether the calling thread is one of several that may call at once: of a parallel region. Tools have one
/// stack of regions, which such threads would mix up.
template <class Exec>
bool is_in_launch(const Exec& exec) {
  if constexpr (HasThreads<Exec>) {
    return exec.concurrency() > 1 && Backend<Exec>::computes_alone(exec);
  } else {
    return false;
  }
}

/// Computes in a region, which ends, too, where that throws.
/// @param name  of the region, made only for a tool
template <class Exec, class Name, class Compute>
void in_region(const Exec& exec, const Name& name, const Compute& compute) {
  std::optional<Kokkos::Profiling::ScopedRegion> region;
  if (is_tool_loaded() && Kokkos::is_initialized() && !is_in_launch(exec)) region.emplace(name());
  compute();
}

}  // namespace rooftile::portable
