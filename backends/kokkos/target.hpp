// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/target.hpp"
#include "rooftile/types.hpp"

namespace rooftile::detail {

/// Describes an execution space to the planner. The library defines it for the spaces of its Kokkos.
template <class Exec>
Target portable_target(const Exec& exec, ComputeMode math);

}  // namespace rooftile::detail
