// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "plan/target.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/options.hpp"

/// The plans of fp64 from products of int8.
namespace rooftile::detail {

/// Bytes of workspace that fp64 from products of int8 takes on a CPU.
/// @param columns  of a block of C that a thread has one for
std::size_t residues_bytes(const GemmShape& shape, Index columns, Index threads, Type type = Type::fp64);

/// The same of fp64 from products of int8 on a CPU: how many threads have a workspace, and for which blocks
/// of C.
void plan_residues(GemmPlan& plan, int threads, std::size_t allowed);

/// The steps of a kernel that was chosen. It may take more workspace than the caller allows.
GemmPlan plan_of(const Choice& choice, const GemmDesc& desc, const GemmOptions& options,
                 const Target& target);

/// @throws Error where a plan's workspace is not one for what it computes at a time, or its number of moduli
/// is none
void check_residues(const GemmPlan& plan);

}  // namespace rooftile::detail
