// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/target.hpp"
#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile {

namespace detail {

/// Whether the device has the instructions of a rung for the target's compute mode.
constexpr bool has_instructions(const Rung& rung, const Target& target) {
  if (rung.block_threads > 0 && is_16_bit(target.type())) {  // other kernels must support the mode, too
    return target.path == Path::native ? target.capability >= 80 : contains(target.warp_mma, target.math);
  }
  if (target.path == Path::native) return rung.capabilities.contain(target.capability);
  if (rung.tma) return contains(target.wgmma, target.math);
  if (rung.split_k == SplitK::cluster && target.wgmma.empty()) return false;
  return !rung.is_warp_mma() || contains(target.warp_mma, target.math);
}

/// Whether a rung supports the target's compute mode on its device, for any product.
constexpr bool computes(const Rung& rung, const Target& target) {
  return rung.on(target.path) && rung.is_for(target.is_cpu()) && rung.supports(target.math, target.path) &&
         has_instructions(rung, target);
}

/// Returns the advice in a refusal: other kernels for the target's compute mode. If there are none, it lists
/// other modes, real or complex as the target's; for mixed types, it lists kernels on a CPU.
/// @param by_pointers  operands are arrays of pointers
std::string instead(Target target, bool by_pointers = false);

/// Returns `9.0` for 90.
std::string capability_name(int capability);

/// Returns the tiles of a rung that are built for a target and need no option.
std::vector<TileShape> built_tiles(const Rung& rung, const Target& target);

/// Returns the bytes of shared memory that a thread block requests. A naive kernel has no step along k and
/// needs none. A run-time tile needs shared memory even if it is 1×1×1.
std::size_t shared_bytes(const Rung& rung, TileShape tile, const Target& target);

/// Returns why a tile does not fit a thread block of the device; empty if it fits.
std::string too_large(const Rung& rung, TileShape tile, const Target& target);

}  // namespace detail

/// Returns why a kernel cannot compute a product with a tile; empty if it can.
/// @param repack       operands are repacked first
/// @param by_pointers  operands are arrays of pointers
Refusal refusal(const Rung& rung, const GemmShape& shape, TileShape tile, const Target& target,
                bool repack = false, bool by_pointers = false);

}  // namespace rooftile
