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

/// Whether the device has the instructions that a rung multiplies with in the target's math mode.
constexpr bool has_instructions(const Rung& rung, const Target& target) {
  if (rung.block_threads > 0 && is_16_bit(target.type())) {  // which other kernels must compute, too
    return target.path == Path::native ? target.capability >= 80 : contains(target.warp_mma, target.math);
  }
  if (target.path == Path::native) return rung.capabilities.contain(target.capability);
  if (rung.tma) return contains(target.wgmma, target.math);
  if (rung.split_k == SplitK::cluster && target.wgmma.empty()) return false;
  return !rung.is_warp_mma() || contains(target.warp_mma, target.math);
}

/// Whether a rung computes in the target's math mode on its device, whatever the product.
constexpr bool computes(const Rung& rung, const Target& target) {
  return rung.on(target.path) && rung.is_for(target.is_cpu()) && rung.supports(target.math, target.path) &&
         has_instructions(rung, target);
}

/// What to do instead of a kernel that cannot: take another that computes in the target's mode, or, where
/// none does, another mode, of real numbers for them and of complex ones for those; of mixed types another
/// device.
/// @param by_pointers  whether operands are arrays of pointers
std::string instead(Target target, bool by_pointers = false);

/// `9.0`
std::string capability_name(int capability);

/// The listed tiles that a rung has for a target.
std::vector<TileShape> built_tiles(const Rung& rung, const Target& target);

/// Bytes of shared memory that a block asks for. A naive kernel's CTA has no step along k and shares nothing;
/// a run-time tile shares even where it is 1×1×1.
std::size_t shared_bytes(const Rung& rung, TileShape tile, const Target& target);

/// Why a tile does not fit a block of the device; empty if it does.
std::string too_large(const Rung& rung, TileShape tile, const Target& target);

}  // namespace detail

/// Why a kernel cannot compute a product with a tile; empty if it can.
/// @param repack       whether operands are to be repacked for it first
/// @param by_pointers  whether operands are arrays of pointers
Refusal refusal(const Rung& rung, const GemmShape& shape, TileShape tile, const Target& target,
                bool repack = false, bool by_pointers = false);

}  // namespace rooftile
