// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

/// fp32 from three tf32 products by the `warpgroup` kernel. x = big + small in tf32 with an error up to 2⁻²²
/// of x. a·b = small·big + big·small + big·big with an error up to 2⁻²¹ of a·b. Stages of K are summed in
/// fp32, so that the error does not grow as in the accumulators of the tensor cores. Infinite elements, and
/// finite elements within 2⁻¹² of the largest float, give NaN in each element of C that they enter.
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
