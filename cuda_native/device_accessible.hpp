// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "cuda_native/device.hpp"
#include "plan/device_accessible.hpp"

namespace rooftile::cuda_native {

/// Queries the CUDA runtime about an address. @return whether the query succeeded
inline bool ask_runtime(const void* address, cudaPointerAttributes& told) {
  if (cudaPointerGetAttributes(&told, address) == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

/// Returns the kind of memory at an address, as a device sees it. Also works during a stream capture.
inline detail::MemoryKind memory_kind(int device, const void* address) {
  using detail::MemoryKind;
  cudaPointerAttributes told{};
  if (!ask_runtime(address, told)) return MemoryKind::untold;
  if (told.type == cudaMemoryTypeUnregistered) return MemoryKind::unregistered;
  if (told.type != cudaMemoryTypeDevice || told.device == device) return MemoryKind::registered;
  // `devicePointer` is set if kernels of the current device have access: by peer access, or by the access
  // rights of a memory pool or of a mapping. The query therefore runs on `device`.
  if (const int current = current_device(); current != device) {
    const OnDevice there(device, current);
    if (!ask_runtime(address, told)) return MemoryKind::untold;
  }
  return told.devicePointer == nullptr ? MemoryKind::other_device : MemoryKind::registered;
}

/// Returns whether kernels of a device can access an address.
inline detail::Access device_accessible(int device, const void* address) {
  const DeviceFacts& facts = facts_of(device);
  if (facts.reads_pageable && facts.is_only) return detail::Access::reached;
  return detail::access_of(memory_kind(device, address), facts.reads_pageable);
}

}  // namespace rooftile::cuda_native
