// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include <Kokkos_Core.hpp>

#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/cpu_tiles.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::portable {

inline constexpr Index max_teams = std::numeric_limits<int>::max();  ///< teams of a league at most

/// Launches a functor with `bytes` bytes of scratch memory per team.
template <int max_threads, int min_teams, class Exec, class Functor>
void start_teams(const Exec& exec, const std::string& name, Index teams, [[maybe_unused]] int threads,
                 [[maybe_unused]] std::size_t bytes, const Functor& functor) {
  if constexpr (Backend<Exec>::one_thread_teams) {
    start_tiles(exec, name, teams, functor);
  } else {
    Backend<Exec>::template start<max_threads, min_teams>(
        exec, name, {teams, threads, bytes > 0 ? bytes + 2 * scratch_alignment : 0}, functor);
  }
}

}  // namespace rooftile::portable
