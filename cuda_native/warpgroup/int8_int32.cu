// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

namespace rooftile::cuda_native {

// `int8_int32_64_rows.cu` instantiates these tiles.
extern template struct WarpgroupOf<ComputeMode::int8_int32, ladder_tiles::warpgroup[3]>;
extern template struct WarpgroupOf<ComputeMode::int8_int32, ladder_tiles::warpgroup[4]>;
extern template struct WarpgroupOf<ComputeMode::int8_int32, ladder_tiles::warpgroup[5]>;

template <>
void run<Kernel::warpgroup, ComputeMode::int8_int32>(cudaStream_t stream,
                                                     const BatchArgs<Mixed<std::int8_t, std::int32_t>>& args,
                                                     const GemmPlan& plan) {
  run_warpgroup_rung<Kernel::warpgroup, ComputeMode::int8_int32>(OnStream{stream}, args, plan);
}

template <>
KernelResources resources<Kernel::warpgroup, ComputeMode::int8_int32>(TileShape tile) {
  return warpgroup_resources<Kernel::warpgroup, ComputeMode::int8_int32>(tile);
}

}  // namespace rooftile::cuda_native
