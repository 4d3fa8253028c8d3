// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/tensor_core/kernel.cuh"

namespace rooftile::cuda_native {

template void launch<Kernel::tensor_core>(cudaStream_t, const BatchArgs<float16>&,
                                          const FragmentTile<float16, 0>&, std::size_t, bool);
template KernelResources resources_with<Kernel::tensor_core, float16>(const FragmentTile<float16, 0>&,
                                                                      std::size_t);

}  // namespace rooftile::cuda_native
