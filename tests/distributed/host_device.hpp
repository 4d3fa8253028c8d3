// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <cuda_runtime_api.h>

/// A GPU that is made of the host's memory, for tests of what the host does: streams are queues whose work is
/// done late, some at each look at an event, from any of them. So what is not ordered by events goes wrong,
/// at times.

/// Puts work on a stream, which returns whether it is done; else it is asked again.
void put(cudaStream_t stream, std::function<bool()> work);
/// The same of work that is done at once.
void put_done(cudaStream_t stream, const std::function<void()>& work);
