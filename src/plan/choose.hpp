// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <vector>

#include "plan/target.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/options.hpp"

namespace rooftile {

/// Returns the compute mode of a call: `math`, or `own` if `math` is `automatic`.
/// @throws Error if `math` is not a mode, or not one for the element types of `own`
ComputeMode resolved(ComputeMode math, ComputeMode own);
/// Returns the compute mode of products whose matrices have one element type.
ComputeMode resolved(ComputeMode math, Type type);

namespace detail {
GemmPlan choose(const GemmDesc& desc, const GemmOptions& options, Target target);
}  // namespace detail

/// Returns the plan for products. The first source that applies selects kernel and tile:
/// 1. the names in `options`;
/// 2. a usable entry of the tuning table;
/// 3. the model, which takes the fastest.
/// A mode may be replaced. tf32x3 asks for the accuracy of fp32: the plan uses fp32 if fp32 is faster, or if
/// operands are arrays of pointers. fp64_int8 and cfp64_int8 become fp64 if fp64 is faster, unless the caller
/// sets the moduli or a tile. They also become fp64 if K, or on GPUs the workspace limit, excludes the mode.
/// @param target  its compute mode applies if `options` names none
/// @throws Error if no kernel that `options` allows can compute the products, for a tuning table of another
/// device, and for negative sizes
template <std::same_as<GemmDesc> Desc>  // three numbers in braces then convert to a GemmShape
GemmPlan choose(const Desc& desc, const GemmOptions& options, const Target& target) {
  return detail::choose(desc, options, target);
}
/// Returns the plan for `count` products of aligned row-major operands without gaps between rows.
GemmPlan choose(const GemmShape& shape, const GemmOptions& options, const Target& target, Index count = 1);

/// Returns the plans that `choose` compares, the fastest first.
std::vector<GemmPlan> alternatives(const GemmDesc& desc, const GemmOptions& options, Target target);

}  // namespace rooftile
