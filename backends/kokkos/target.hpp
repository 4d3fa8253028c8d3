// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/target.hpp"
#include "rooftile/types.hpp"

namespace rooftile::detail {

/// What plans know of an execution space. In the library, for the spaces of the Kokkos it was built with.
template <class Exec>
Target portable_target(const Exec& exec, Math math);

}  // namespace rooftile::detail
