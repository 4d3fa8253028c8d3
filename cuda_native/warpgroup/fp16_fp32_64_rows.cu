// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/warpgroup/run.cuh"

/// The tiles of 64 rows, which take as long to compile as all others.
namespace rooftile::cuda_native {

template struct WarpgroupOf<ComputeMode::fp16_fp32, ladder_tiles::warpgroup[3]>;
template struct WarpgroupOf<ComputeMode::fp16_fp32, ladder_tiles::warpgroup[4]>;
template struct WarpgroupOf<ComputeMode::fp16_fp32, ladder_tiles::warpgroup[5]>;

}  // namespace rooftile::cuda_native
