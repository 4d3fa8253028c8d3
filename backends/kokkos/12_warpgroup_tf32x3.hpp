// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/11_warpgroup.hpp"

namespace rooftile::portable {

/// The same functor with fp32's accuracy: operands as sums of two tf32 parts, three products of parts.
template <>
struct KernelOf<Kernel::warpgroup_tf32x3> : KernelOf<Kernel::warpgroup> {};

}  // namespace rooftile::portable
