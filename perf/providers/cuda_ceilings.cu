// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "../measure/gpu_ceilings.hpp"

namespace rooftile::perf {

Ceilings measure_cuda_ceilings(Device& device, cudaStream_t stream) {
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device.number);
  return measure_gpu_ceilings(device, stream, sms);
}

}  // namespace rooftile::perf
