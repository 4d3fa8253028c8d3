// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

/// 1M (Van Zee, 2020: Implementing high-performance complex matrix multiplication via the 1M method): complex
/// products by the `warpgroup` kernel. The interleaved parts of A are a real (M,2K). B becomes a real (2K,2N)
/// in a workspace, in which each element is the matrix ((re,im),(-im,re)). Their product contains the
/// interleaved parts of C.
namespace rooftile::cuda_native {

template <>
void run<Kernel::warpgroup_1m, ComputeMode::cfp32_tf32>(cudaStream_t stream,
                                                        const BatchArgs<complex<float>>& args,
                                                        const GemmPlan& plan) {
  run_warpgroup_rung<Kernel::warpgroup_1m, ComputeMode::cfp32_tf32>(OnStream{stream}, args, plan);
}

template <>
KernelResources resources<Kernel::warpgroup_1m, ComputeMode::cfp32_tf32>(TileShape tile) {
  return warpgroup_resources<Kernel::warpgroup_1m, ComputeMode::cfp32_tf32>(tile);
}

}  // namespace rooftile::cuda_native
