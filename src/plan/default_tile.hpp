// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "plan/target.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile {

namespace detail {
TileShape default_tile(const Rung& rung, const GemmDesc& desc, const Target& target, bool repack);
}  // namespace detail

/// Returns the tile of a kernel if the caller names none: the fastest listed tile by the model. Without
/// costs, it is the default tile, or the widest tile that fits. @param repack  operands are repacked first
template <std::same_as<GemmDesc> Desc>  // three numbers in braces then convert to a GemmShape
TileShape default_tile(const Rung& rung, const Desc& desc, const Target& target, bool repack = false) {
  return detail::default_tile(rung, desc, target, repack);
}
/// Returns the default tile for aligned row-major operands without gaps between rows.
TileShape default_tile(const Rung& rung, const GemmShape& shape, const Target& target, Index count = 1);

}  // namespace rooftile
