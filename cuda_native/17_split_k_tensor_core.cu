// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/split_k_tensor_core/kernel.cuh"

/// The rung before for matrix instructions: `split_k_tensor_core/kernel.cuh` has the kernel, and `cfp64.cu`
/// beside it complex numbers, which are compiled at the same time.
namespace rooftile::cuda_native {

template void run<Kernel::split_k_tensor_core, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                                  const GemmPlan&);
template KernelResources resources<Kernel::split_k_tensor_core, ComputeMode::fp64>(TileShape);

}  // namespace rooftile::cuda_native
