// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/run.hpp"
#include "cuda_native/warpgroup/run.cuh"

/// Hopper's tensor cores, fed by TMA. `warpgroup/kernel.cuh` defines the kernel. The files in `warpgroup/`
/// instantiate the 16-bit and int8 modes, because one file would take too long to compile. TMA reads operands
/// with aligned rows without repacking: 16-bit operands in any major order, int8 operands if they are
/// K-major, and tf32 operands unless both are MN-major. Other operands are first repacked in a workspace.
namespace rooftile::cuda_native {

// `tf32_64_rows.cu` instantiates these tiles.
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
