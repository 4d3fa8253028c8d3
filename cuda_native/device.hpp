// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "cuda_native/check.hpp"

namespace rooftile::cuda_native {

/// Of the current device.
inline int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "find a CUDA device");
  check(cudaDeviceGetAttribute(&value, which, device), "query a CUDA device");
  return value;
}
inline int multiprocessors() {
  return attribute(cudaDevAttrMultiProcessorCount);
}

}  // namespace rooftile::cuda_native
