// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/11_warpgroup.hpp"

namespace rooftile::portable {

/// fp32 from three tf32 products by the functor of `warpgroup`. Each operand is the sum of two tf32 parts.
template <>
struct KernelOf<Kernel::warpgroup_tf32x3> : KernelOf<Kernel::warpgroup> {};

}  // namespace rooftile::portable
