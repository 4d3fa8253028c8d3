// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "cuda_native/device.hpp"
#include "rooftile/detail/reach.hpp"

namespace rooftile::cuda_native {

/// What the CUDA runtime says of an address, also while a stream is captured.
inline detail::MemoryKind memory_kind(const void* address) {
  cudaPointerAttributes told;
  if (cudaPointerGetAttributes(&told, address) != cudaSuccess) {
    cudaGetLastError();
    return detail::MemoryKind::untold;
  }
  return told.type == cudaMemoryTypeUnregistered ? detail::MemoryKind::unregistered
                                                 : detail::MemoryKind::registered;
}

/// Whether kernels of a device reach what lies at an address.
inline bool reaches(int device, const void* address) {
  return detail::is_reached(facts_of(device).reads_pageable, [&] { return memory_kind(address); });
}

}  // namespace rooftile::cuda_native
