// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <cuda_runtime_api.h>

#include "../machine.hpp"

namespace rooftile::perf {

inline int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cudaDeviceGetAttribute(&value, which, device);
  return value;
}

Ceilings measure_cuda_ceilings(Device& device, cudaStream_t stream);

/// GFLOP/s of `wgmma` for each operand type, on compute capability 9.0 (cuda_ceilings_sm90a.cu).
std::vector<NamedRate> measure_warpgroup_gflops(Device& device, cudaStream_t stream, int sms);

}  // namespace rooftile::perf
