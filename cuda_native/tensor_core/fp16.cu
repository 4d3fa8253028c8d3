// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/tensor_core/kernel.cuh"

namespace rooftile::cuda_native {

// The kernels of the largest tiles take longest to compile, so each has its own file.
extern template void launch<Kernel::tensor_core>(cudaStream_t, const BatchArgs<float16>&,
                                                 const FragmentTile<float16, 0>&, std::size_t, bool);
extern template KernelResources resources_with<Kernel::tensor_core, float16>(const FragmentTile<float16, 0>&,
                                                                             std::size_t);
extern template void launch<Kernel::tensor_core>(cudaStream_t, const BatchArgs<float16>&,
                                                 const FragmentTile<float16, 1>&, std::size_t, bool);
extern template KernelResources resources_with<Kernel::tensor_core, float16>(const FragmentTile<float16, 1>&,
                                                                             std::size_t);

template void run<Kernel::tensor_core, ComputeMode::fp16>(cudaStream_t, const BatchArgs<float16>&,
                                                          const GemmPlan&);
template KernelResources resources<Kernel::tensor_core, ComputeMode::fp16>(TileShape);

}  // namespace rooftile::cuda_native
