// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/tensor_core/kernel.cuh"

/// Warp-level MMA, fed by the pipeline of `pipelined`. `tensor_core/kernel.cuh` defines the kernel. The files
/// in `tensor_core/` instantiate the other modes, because one file would take too long to compile.
namespace rooftile::cuda_native {

template void run<Kernel::tensor_core, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                          const GemmPlan&);
template KernelResources resources<Kernel::tensor_core, ComputeMode::fp64>(TileShape);

}  // namespace rooftile::cuda_native
