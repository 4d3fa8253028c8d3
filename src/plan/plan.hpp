// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/choose.hpp"
#include "plan/describe.hpp"
#include "plan/target.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/options.hpp"

namespace rooftile {

namespace detail {

/// @throws Error if the caller's memory cannot be used as a workspace
void check_memory(const WorkspaceMemory& memory, const Target& target);

/// @throws Error if a plan does not match the products or the target
void check_plan(const GemmPlan& plan, const GemmDesc& desc, const Target& target);

}  // namespace detail

/// Returns kernel, tile and steps for products.
/// @param target  the costs of a tuning table in `options` replace its costs
/// @throws Error as `choose`, for a target of other element types, and if the workspace limit is too small
GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, Target target);

}  // namespace rooftile
