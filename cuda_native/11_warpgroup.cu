// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

/// Hopper's tensor cores, fed by TMA: `warpgroup/kernel.cuh` has the kernel, and the files beside it have the
/// modes of 16 bits, which would take too long to compile together. 16-bit operands of any layout with
/// aligned rows are read as they lie, and so is fp32 in tf32 unless both factors are laid out against K;
/// others are copied to a workspace first.
namespace rooftile::cuda_native {

// `tf32_64_rows.cu` has these tiles.
extern template struct WarpgroupOf<ComputeMode::tf32, ladder_tiles::warpgroup[3]>;
extern template struct WarpgroupOf<ComputeMode::tf32, ladder_tiles::warpgroup[4]>;
extern template struct WarpgroupOf<ComputeMode::tf32, ladder_tiles::warpgroup[5]>;

template <>
void run<Kernel::warpgroup, ComputeMode::tf32>(cudaStream_t stream, const BatchArgs<float>& args,
                                               const GemmPlan& plan) {
  run_warpgroup_rung<Kernel::warpgroup, ComputeMode::tf32>(OnStream{stream}, args, plan);
}

template <>
KernelResources resources<Kernel::warpgroup, ComputeMode::tf32>(TileShape tile) {
  return warpgroup_resources<Kernel::warpgroup, ComputeMode::tf32>(tile);
}

}  // namespace rooftile::cuda_native
