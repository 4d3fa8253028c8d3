// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "plan/group_plan.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"

namespace rooftile::cuda_native {

/// Starts a rung's kernel for products of a group, as many in a launch as its parameters describe, and
/// returns. Instantiated in `grouped/`, for the modes of the launches that the rung's row has.
/// @param behind  whether what was put on the stream last is a launch of the same group: the two may then run
///                side by side
template <Kernel kernel, ComputeMode math>
void run_group(cudaStream_t stream, const detail::SharedLaunch<ElementIn<math>>& launch, bool behind);

template <class T>
using RunGroup = void (*)(cudaStream_t, const detail::SharedLaunch<T>&, bool);

}  // namespace rooftile::cuda_native
