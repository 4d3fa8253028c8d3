// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/11_warpgroup.hpp"

namespace rooftile::portable {

/// The same functor for complex numbers as real ones: B in a workspace as (2K,2N).
template <>
struct KernelOf<Kernel::warpgroup_1m> : KernelOf<Kernel::warpgroup> {};

}  // namespace rooftile::portable
