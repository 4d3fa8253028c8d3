// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/split_k_tensor_core/kernel.cuh"

/// Split-K with warp-level MMA. `split_k_tensor_core/kernel.cuh` defines the kernel.
/// `split_k_tensor_core/cfp64.cu` instantiates complex numbers, so that both files compile in parallel.
namespace rooftile::cuda_native {

template void run<Kernel::split_k_tensor_core, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                                  const GemmPlan&);
template KernelResources resources<Kernel::split_k_tensor_core, ComputeMode::fp64>(TileShape);

}  // namespace rooftile::cuda_native
