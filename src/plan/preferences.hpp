// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "plan/int8_choice.hpp"
#include "rooftile/kernel.hpp"

namespace rooftile::detail {

/// What the library tries, the fastest first. The dynamic rung is never the faster one: its loops have
/// run-time bounds.
struct Preference {
  Kernel kernel;
  std::string_view why;
};
inline constexpr Preference preferences[] = {
    {Kernel::small_batched, "batch entries so small that several share a thread block"},
    {Kernel::warpgroup, "tensor cores of compute capability 9.0"},
    {Kernel::warpgroup_tf32x3, "tensor cores of compute capability 9.0"},
    {Kernel::warpgroup_1m, "tensor cores of compute capability 9.0"},
    {Kernel::warpgroup_int8, why_int8},
    {Kernel::packed, "a CPU: blocks for its caches, vectors in its registers"},
    {Kernel::tensor_core, "matrix instructions; of its tiles the one that keeps the SMs busiest"},
    {Kernel::pipelined, "a GPU; of its tiles the one that keeps the SMs busiest"},
    {Kernel::register_blocked, "a GPU; its blocks have room for one panel of each operand, not for two"},
    {Kernel::tiled, "the tile divides m, n and k, so no bounds are checked"},
    {Kernel::tiled_checked, "the tile does not divide m, n and k, so bounds are checked"},
};

}  // namespace rooftile::detail
