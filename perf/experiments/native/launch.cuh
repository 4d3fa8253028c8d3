// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "../kernels.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf::native {

inline unsigned blocks_for(Index count, Index per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

/// @throws Error where the last launch was refused
inline void check_launch() {
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    throw Error(rooftile::detail::text("could not launch an experiment (", cudaGetErrorName(status),
                                       "): take a smaller one"));
}

/// Lets a kernel ask for so many bytes, of an SM whose memory is split for shared memory.
template <class Kernel>
void allow_shared(Kernel kernel, int bytes) {
  if (bytes == 0) return;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
}

}  // namespace rooftile::perf::native
