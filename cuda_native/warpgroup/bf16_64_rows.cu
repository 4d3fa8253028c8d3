// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/warpgroup/run.cuh"

/// The tiles with 64 rows. They take as long to compile as all other tiles together.
namespace rooftile::cuda_native {

template struct WarpgroupOf<ComputeMode::bf16, ladder_tiles::warpgroup[3]>;
template struct WarpgroupOf<ComputeMode::bf16, ladder_tiles::warpgroup[4]>;
template struct WarpgroupOf<ComputeMode::bf16, ladder_tiles::warpgroup[5]>;

}  // namespace rooftile::cuda_native
