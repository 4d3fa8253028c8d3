// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "../gpu_ceilings.hpp"

namespace rooftile::perf {

Ceilings measure_cuda_ceilings(Device& device, cudaStream_t stream) {
  int multiprocessors = 1;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  return measure_gpu_ceilings(device, stream, multiprocessors);
}

}  // namespace rooftile::perf
