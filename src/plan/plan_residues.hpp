// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "plan/target.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/options.hpp"

/// Plans for fp64 from int8 products.
namespace rooftile::detail {

/// Returns the bytes of workspace for fp64 from int8 products on a CPU.
/// @param columns  columns of a thread's block of C
std::size_t residues_bytes(const GemmShape& shape, Index columns, Index threads, Type type = Type::fp64);

/// Plans fp64 from int8 products on a CPU: the number of threads with a workspace, and the blocks of C.
void plan_residues(GemmPlan& plan, int threads, std::size_t allowed);

/// Returns the plan of a selected kernel. The workspace may exceed the caller's limit.
GemmPlan plan_of(const Choice& choice, const GemmDesc& desc, const GemmOptions& options,
                 const Target& target);

/// @throws Error if the workspace of a plan does not match its blocks, or its number of moduli is invalid
void check_residues(const GemmPlan& plan);

}  // namespace rooftile::detail
