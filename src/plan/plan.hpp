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

/// @throws Error where memory of the caller cannot be a workspace
void check_memory(const WorkspaceMemory& memory, const Target& target);

/// @throws Error where a plan is not one for such products there
void check_plan(const GemmPlan& plan, const GemmDesc& desc, const Target& target);

}  // namespace detail

/// Kernel, tile and steps for products. @param target  whose costs give way to those of a tuning table
/// @throws Error as `choose`, for a target of other elements, and where a named kernel has no workspace
GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, Target target);

}  // namespace rooftile
