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

/// The tile that a kernel takes when the caller names none: of those listed the fastest by the model; without
/// costs the default one, or the widest that fits. @param repack  whether operands are repacked first
template <std::same_as<GemmDesc> Desc>  // of three numbers in braces, a shape is made
TileShape default_tile(const Rung& rung, const Desc& desc, const Target& target, bool repack = false) {
  return detail::default_tile(rung, desc, target, repack);
}
/// The same for aligned operands whose rows lie one behind the other.
TileShape default_tile(const Rung& rung, const GemmShape& shape, const Target& target, Index count = 1);

}  // namespace rooftile
