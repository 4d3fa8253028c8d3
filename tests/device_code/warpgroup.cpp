// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A portable kernel for Hopper's tensor cores: must compile for sm_90a and fit the registers.
#include "backends/kokkos/11_warpgroup.hpp"

namespace rooftile::portable {

using G = detail::hopper::WarpgroupTile<__nv_bfloat16, __nv_bfloat16, 2, 256, 4, detail::hopper::Major::k,
                                        detail::hopper::Major::mn>;
template __global__ void team_entry<G::threads, 1, Warpgroup<G>>(const __grid_constant__ Warpgroup<G>, int);

}  // namespace rooftile::portable
