// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "plan/plan.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::cuda_native {

/// Launches a rung's kernel on `stream` for each product of a batch and returns. Instantiated in the rung's
/// file for each compute mode of its row.
/// @pre the arguments are prepared, C has elements, and the plan was made for the arguments
template <Kernel kernel, ComputeMode math>
void run(cudaStream_t stream, const BatchArgs<ProductIn<math>>& args, const GemmPlan& plan);

/// Pointer to a rung's `run` for elements of T in one compute mode.
template <class T>
using Run = void (*)(cudaStream_t, const BatchArgs<T>&, const GemmPlan&);

/// Repacks the operands that the plan names, then calls `run`.
template <class T>
void run_repacked(cudaStream_t stream, const BatchArgs<T>& args, const GemmPlan& plan, Run<T> run);

/// Returns the resources of an SM that the rung's kernel uses with `tile`. A rung with two kernels reports
/// the one for any operand alignment. Instantiated in the rung's file.
template <Kernel kernel, ComputeMode math>
KernelResources resources(TileShape tile);

}  // namespace rooftile::cuda_native
