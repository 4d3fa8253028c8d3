// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/split_k_tensor_core/kernel.cuh"

namespace rooftile::cuda_native {

template void run<Kernel::split_k_tensor_core, Math::fp16>(cudaStream_t, const BatchArgs<float16>&,
                                                           const GemmPlan&);
template KernelResources resources<Kernel::split_k_tensor_core, Math::fp16>(TileShape);

}  // namespace rooftile::cuda_native
