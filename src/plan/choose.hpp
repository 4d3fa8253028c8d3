// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <vector>

#include "plan/target.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/options.hpp"

namespace rooftile {

/// The mode that a caller means, of products that have one by themselves. @throws Error where it is none, or
/// not one of the element types'
ComputeMode resolved(ComputeMode math, ComputeMode own);
/// The same of products whose matrices all have one type.
ComputeMode resolved(ComputeMode math, Type type);

namespace detail {
GemmPlan choose(const GemmDesc& desc, const GemmOptions& options, Target target);
}  // namespace detail

/// The plan for products: the kernel and tile that `options` name, else what its tuning table has that can
/// compute the products, else the fastest by the model.
/// @param target  whose math mode gives way to one that `options` names. tf32x3 allows three products in tf32
/// and asks for fp32's accuracy: where fp32 itself is faster, or operands are arrays of pointers, the plan is
/// in fp32. fp64_int8 and cfp64_int8 give way to fp64 itself where that is faster and the guard decides
/// anyway
/// @throws Error where nothing that `options` allows can compute the products, for another device's table,
/// and for negative sizes
template <std::same_as<GemmDesc> Desc>  // of three numbers in braces, a shape is made
GemmPlan choose(const Desc& desc, const GemmOptions& options, const Target& target) {
  return detail::choose(desc, options, target);
}
/// The same for a product, or a batch of `count` ones, of aligned operands whose rows lie one behind the
/// other.
GemmPlan choose(const GemmShape& shape, const GemmOptions& options, const Target& target, Index count = 1);

/// The ways that `choose` compares, the fastest first.
std::vector<GemmPlan> alternatives(const GemmDesc& desc, const GemmOptions& options, Target target);

}  // namespace rooftile
