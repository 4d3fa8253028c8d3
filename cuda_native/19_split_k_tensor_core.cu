// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/split_k_tensor_core/kernel.cuh"

/// The rung before for matrix instructions: `split_k_tensor_core/kernel.cuh` has the kernel, and the files
/// beside it the modes but fp64, which would take too long to compile together.
namespace rooftile::cuda_native {

template void run<Kernel::split_k_tensor_core, Math::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                           const GemmPlan&);
template KernelResources resources<Kernel::split_k_tensor_core, Math::fp64>(TileShape);

}  // namespace rooftile::cuda_native
