// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/tensor_core/kernel.cuh"

namespace rooftile::cuda_native {

template void run<Kernel::tensor_core, ComputeMode::bf16_fp32>(cudaStream_t,
                                                               const BatchArgs<Mixed<bfloat16, float>>&,
                                                               const GemmPlan&);
template KernelResources resources<Kernel::tensor_core, ComputeMode::bf16_fp32>(TileShape);

}  // namespace rooftile::cuda_native
