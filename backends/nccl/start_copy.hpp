// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "backends/nccl/copy_runs.hpp"

namespace rooftile::distributed {

/// Starts a copy in memory of the device, whose runs lie there, too.
/// @param size       of an element: 2, 4, 8 or 16 bytes
/// @param word_of_x  elements that all of x's runs are multiples of, and begin at on both sides
/// @param word_of_y  of y's
/// @throws Error where CUDA refuses
void start_copy(cudaStream_t stream, const RunCopy& copy, int size, Index word_of_x, Index word_of_y,
                const void* from, void* to);

}  // namespace rooftile::distributed
