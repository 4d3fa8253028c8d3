// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "cuda_native/check.hpp"

/// Launches. What is checked is a launch's own status: an error that other code left behind stays its own.
namespace rooftile::cuda_native {

inline cudaLaunchConfig_t launch_config(cudaStream_t stream, dim3 grid, dim3 block,
                                        std::size_t shared_bytes) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return config;
}

template <class... Parameters>
void launch_kernel(cudaStream_t stream, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                   std::size_t shared_bytes, std::type_identity_t<Parameters>... parameters) {
  const cudaLaunchConfig_t config = launch_config(stream, grid, block, shared_bytes);
  check(cudaLaunchKernelEx(&config, kernel, parameters...), "launch a kernel");
}

/// Whether a kernel waits itself for the one launched before it. Only its code for compute capability 9.0
/// does: what was compiled for an older one does not, whatever GPU it runs on.
template <class... Parameters>
bool waits_itself(void (*kernel)(Parameters...)) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "query a kernel");
  return attributes.ptxVersion >= 90;
}

/// Launches a kernel that may wait itself for the one launched before it; one that does not starts when that
/// one has ended.
template <class... Parameters>
void launch_behind(cudaStream_t stream, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                   std::size_t shared_bytes, int cluster, std::type_identity_t<Parameters>... parameters) {
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t config = launch_config(stream, grid, block, shared_bytes);
  config.attrs = attributes;
  config.numAttrs = waits_itself(kernel) ? cluster > 1 ? 2 : 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, parameters...), "launch a kernel");
}

}  // namespace rooftile::cuda_native
