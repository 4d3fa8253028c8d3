// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "cuda_native/device.hpp"

/// Kernel launches. Each launch checks only its own status, so that it does not report an earlier error of
/// other code.
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

/// Bytes of dynamic shared memory that a kernel may use without a function attribute.
inline constexpr std::size_t shared_bytes_unasked = 48 * 1024;

template <class Function>
void allow_shared_bytes(Function function, std::size_t bytes) {
  if (bytes <= shared_bytes_unasked) return;
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "set a kernel's shared memory");
}

template <class... Parameters>
void launch_kernel(cudaStream_t stream, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                   std::size_t shared_bytes, std::type_identity_t<Parameters>... parameters) {
  const cudaLaunchConfig_t config = launch_config(stream, grid, block, shared_bytes);
  check(cudaLaunchKernelEx(&config, kernel, parameters...), "launch a kernel");
}

/// Returns whether a kernel waits in device code for the kernel launched before it. Only code compiled for
/// compute capability 9.0 or later does so; code for older architectures does not, on any GPU. The query
/// takes half a microsecond, so each host thread caches the answer for its last kernel.
template <class... Parameters>
bool waits_itself(void (*kernel)(Parameters...)) {
  thread_local void (*last)(Parameters...) = nullptr;
  thread_local int last_device = -1;
  thread_local bool waits = false;
  const int device = current_device();
  if (kernel != last || device != last_device) {
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, kernel), "query a kernel");
    waits = attributes.ptxVersion >= 90;
    last = kernel, last_device = device;
  }
  return waits;
}

/// Launches a kernel that may start before the previous kernel ends, if it waits in device code. Other
/// kernels start after the previous kernel ends.
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

/// Returns the number of clusters that run at the same time on the current device, with one block per SM. A
/// cluster stays within a GPC, so some SMs may remain unused.
/// @tparam Key  identifies the kernel, whose counts are cached
template <class Key, class... Parameters>
int resident_clusters(void (*kernel)(Parameters...), int threads, std::size_t shared_bytes, int cluster) {
  if (cluster == 1) return sm_count();
  constexpr int largest = 8;
  thread_local int counts[largest + 1] = {}, last_device = -1;
  const int device = current_device();
  if (device != last_device) std::fill(std::begin(counts), std::end(counts), 0), last_device = device;
  if (counts[cluster] == 0) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    cudaLaunchConfig_t config = launch_config(nullptr, dim3(static_cast<unsigned>(cluster)),
                                              dim3(static_cast<unsigned>(threads)), shared_bytes);
    config.attrs = &attribute, config.numAttrs = 1;
    check(cudaOccupancyMaxActiveClusters(&counts[cluster], kernel, &config), "query a kernel's clusters");
  }
  return std::max(counts[cluster], 1);  // if no cluster fits, the launch reports the error
}

}  // namespace rooftile::cuda_native
