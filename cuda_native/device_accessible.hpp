// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "cuda_native/device.hpp"
#include "plan/device_accessible.hpp"

namespace rooftile::cuda_native {

/// Asks the CUDA runtime about an address. @return whether it answers
inline bool ask_runtime(const void* address, cudaPointerAttributes& told) {
  if (cudaPointerGetAttributes(&told, address) == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

/// Whose memory an address is, as a device sees it, also while a stream is captured.
inline detail::MemoryKind memory_kind(int device, const void* address) {
  using detail::MemoryKind;
  cudaPointerAttributes told{};
  if (!ask_runtime(address, told)) return MemoryKind::untold;
  if (told.type == cudaMemoryTypeUnregistered) return MemoryKind::unregistered;
  if (told.type != cudaMemoryTypeDevice || told.device == device) return MemoryKind::registered;
  // CUDA gives the address to kernels of the current device where they have access: by peer access, or by the
  // access of a memory pool or of a mapping.
  if (const int current = current_device(); current != device) {
    const OnDevice there(device, current);
    if (!ask_runtime(address, told)) return MemoryKind::untold;
  }
  return told.devicePointer == nullptr ? MemoryKind::other_device : MemoryKind::registered;
}

/// Whether kernels of a device reach what lies at an address.
inline detail::Access device_accessible(int device, const void* address) {
  const DeviceFacts& facts = facts_of(device);
  if (facts.reads_pageable && facts.is_only) return detail::Access::reached;
  return detail::access_of(memory_kind(device, address), facts.reads_pageable);
}

}  // namespace rooftile::cuda_native
