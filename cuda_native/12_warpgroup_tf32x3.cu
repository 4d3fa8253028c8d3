// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

/// fp32 from the same kernel: x = big + small in tf32, up to 2⁻²² of x, and a·b = small·big + big·small +
/// big·big up to 2⁻²¹ of it. Stages of K are summed in fp32, so that the error does not grow as that of
/// tensor cores' sums does. Infinite elements, and finite ones within 2⁻¹² of the largest float, make NaN of
/// what they enter.
namespace rooftile::cuda_native {

template <>
void run<Kernel::warpgroup_tf32x3, ComputeMode::tf32x3>(cudaStream_t stream, const BatchArgs<float>& args,
                                                        const GemmPlan& plan) {
  run_warpgroup_rung<Kernel::warpgroup_tf32x3, ComputeMode::tf32x3>(OnStream{stream}, args, plan);
}

template <>
KernelResources resources<Kernel::warpgroup_tf32x3, ComputeMode::tf32x3>(TileShape tile) {
  return warpgroup_resources<Kernel::warpgroup_tf32x3, ComputeMode::tf32x3>(tile);
}

}  // namespace rooftile::cuda_native
