// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/stream_k_tensor_core/kernel.cuh"

/// Stream-K with warp-level MMA. `stream_k_tensor_core/kernel.cuh` defines the kernel. The files in
/// `stream_k_tensor_core/` instantiate the modes other than fp64, because one file would take too long to
/// compile.
namespace rooftile::cuda_native {

template void run<Kernel::stream_k_tensor_core, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                                   const GemmPlan&);
template KernelResources resources<Kernel::stream_k_tensor_core, ComputeMode::fp64>(TileShape);

}  // namespace rooftile::cuda_native
