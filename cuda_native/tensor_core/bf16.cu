// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/tensor_core/kernel.cuh"

namespace rooftile::cuda_native {

// The kernels of the largest tiles take longest to compile, so each has its own file.
extern template void launch<Kernel::tensor_core>(cudaStream_t, const BatchArgs<bfloat16>&,
                                                 const FragmentTile<bfloat16, 0>&, std::size_t, bool);
extern template KernelResources resources_with<Kernel::tensor_core, bfloat16>(
    const FragmentTile<bfloat16, 0>&, std::size_t);
extern template void launch<Kernel::tensor_core>(cudaStream_t, const BatchArgs<bfloat16>&,
                                                 const FragmentTile<bfloat16, 1>&, std::size_t, bool);
extern template KernelResources resources_with<Kernel::tensor_core, bfloat16>(
    const FragmentTile<bfloat16, 1>&, std::size_t);

template void run<Kernel::tensor_core, ComputeMode::bf16>(cudaStream_t, const BatchArgs<bfloat16>&,
                                                          const GemmPlan&);
template KernelResources resources<Kernel::tensor_core, ComputeMode::bf16>(TileShape);

}  // namespace rooftile::cuda_native
