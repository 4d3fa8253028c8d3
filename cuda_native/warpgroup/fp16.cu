// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

namespace rooftile::cuda_native {

// `fp16_64_rows.cu` instantiates these tiles.
extern template struct WarpgroupOf<ComputeMode::fp16, ladder_tiles::warpgroup[3]>;
extern template struct WarpgroupOf<ComputeMode::fp16, ladder_tiles::warpgroup[4]>;
extern template struct WarpgroupOf<ComputeMode::fp16, ladder_tiles::warpgroup[5]>;

template <>
void run<Kernel::warpgroup, ComputeMode::fp16>(cudaStream_t stream, const BatchArgs<float16>& args,
                                               const GemmPlan& plan) {
  run_warpgroup_rung<Kernel::warpgroup, ComputeMode::fp16>(OnStream{stream}, args, plan);
}

template <>
KernelResources resources<Kernel::warpgroup, ComputeMode::fp16>(TileShape tile) {
  return warpgroup_resources<Kernel::warpgroup, ComputeMode::fp16>(tile);
}

}  // namespace rooftile::cuda_native
