// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/stream_k_tensor_core/kernel.cuh"

/// The rung before for matrix instructions: `stream_k_tensor_core/kernel.cuh` has the kernel, and the files
/// beside it the modes but fp64, which would take too long to compile together.
namespace rooftile::cuda_native {

template void run<Kernel::stream_k_tensor_core, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                                   const GemmPlan&);
template KernelResources resources<Kernel::stream_k_tensor_core, ComputeMode::fp64>(TileShape);

}  // namespace rooftile::cuda_native
