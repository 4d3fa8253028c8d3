// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "plan/plan.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::cuda_native {

/// Starts a rung's kernel on `stream` for each product of a batch and returns. Instantiated in the rung's own
/// file, for each math mode that its row names.
/// @pre the arguments are prepared, C has elements, the plan is one of theirs
template <Kernel kernel, ComputeMode math>
void run(cudaStream_t stream, const BatchArgs<ProductIn<math>>& args, const GemmPlan& plan);

/// A rung's `run` for elements of T in a mode.
template <class T>
using Run = void (*)(cudaStream_t, const BatchArgs<T>&, const GemmPlan&);

/// The same on operands some of which are repacked first.
template <class T>
void run_repacked(cudaStream_t stream, const BatchArgs<T>& args, const GemmPlan& plan, Run<T> run);

/// What the rung's kernel with `tile` takes of an SM; of two, the one for operands that lie
/// anyhow. Instantiated there, too.
template <Kernel kernel, ComputeMode math>
KernelResources resources(TileShape tile);

}  // namespace rooftile::cuda_native
