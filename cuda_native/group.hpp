// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "plan/group_plan.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::cuda_native {

/// Launches a rung's kernel for the products of a group and returns. A launch takes as many products as its
/// parameters can describe. Instantiated in `grouped/` for the modes of the `groups` in the rung's row.
/// @param behind  whether the last work on the stream is a launch of the same group; both launches may then
///                run at the same time
template <Kernel kernel, ComputeMode math>
void run_group(cudaStream_t stream, const detail::SharedLaunch<ElementIn<math>>& launch, bool behind);

template <class T>
using RunGroup = void (*)(cudaStream_t, const detail::SharedLaunch<T>&, bool);

}  // namespace rooftile::cuda_native
