// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

namespace rooftile::cuda_native {

template <>
void run<Kernel::warpgroup, ComputeMode::fp8_fp32>(cudaStream_t stream,
                                                   const BatchArgs<Mixed<float8_e4m3, float>>& args,
                                                   const GemmPlan& plan) {
  run_warpgroup_rung<Kernel::warpgroup, ComputeMode::fp8_fp32>(OnStream{stream}, args, plan);
}

template <>
KernelResources resources<Kernel::warpgroup, ComputeMode::fp8_fp32>(TileShape tile) {
  return warpgroup_resources<Kernel::warpgroup, ComputeMode::fp8_fp32>(tile);
}

}  // namespace rooftile::cuda_native
