// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/11_warpgroup.hpp"

namespace rooftile::portable {

/// 1M: complex numbers from real products by the functor of `warpgroup`. B becomes a real (2K,2N) in a
/// workspace.
template <>
struct KernelOf<Kernel::warpgroup_1m> : KernelOf<Kernel::warpgroup> {};

}  // namespace rooftile::portable
