// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

namespace rooftile::cuda_native {

// `bf16_fp32_64_rows.cu` instantiates these tiles.
extern template struct WarpgroupOf<ComputeMode::bf16_fp32, ladder_tiles::warpgroup[3]>;
extern template struct WarpgroupOf<ComputeMode::bf16_fp32, ladder_tiles::warpgroup[4]>;
extern template struct WarpgroupOf<ComputeMode::bf16_fp32, ladder_tiles::warpgroup[5]>;

template <>
void run<Kernel::warpgroup, ComputeMode::bf16_fp32>(cudaStream_t stream,
                                                    const BatchArgs<Mixed<bfloat16, float>>& args,
                                                    const GemmPlan& plan) {
  run_warpgroup_rung<Kernel::warpgroup, ComputeMode::bf16_fp32>(OnStream{stream}, args, plan);
}

template <>
KernelResources resources<Kernel::warpgroup, ComputeMode::bf16_fp32>(TileShape tile) {
  return warpgroup_resources<Kernel::warpgroup, ComputeMode::bf16_fp32>(tile);
}

}  // namespace rooftile::cuda_native
