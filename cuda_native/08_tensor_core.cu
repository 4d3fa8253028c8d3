// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/tensor_core/kernel.cuh"

/// Matrix instructions of a warp, fed by the pipeline of the rung before: `tensor_core/kernel.cuh` has the
/// kernel, and the files beside it other types, which would take too long to compile together.
namespace rooftile::cuda_native {

template void run<Kernel::tensor_core, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                          const GemmPlan&);
template KernelResources resources<Kernel::tensor_core, ComputeMode::fp64>(TileShape);

}  // namespace rooftile::cuda_native
