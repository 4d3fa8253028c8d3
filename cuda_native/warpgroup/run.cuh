// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/launch.cuh"
#include "cuda_native/repack.cuh"
#include "cuda_native/start.hpp"
#include "cuda_native/warpgroup/kernel.cuh"
#include "cuda_native/warpgroup/run.hpp"
#include "cuda_native/workspace.hpp"
#include "device/common/split_sum.hpp"
#include "device/common/tile.hpp"

/// Launches of the `warpgroup` kernel on a stream, and of the kernel that adds the partial sums of its splits
/// of K.
namespace rooftile::cuda_native {

/// `detail::SplitSum` on CUDA.
template <class Sum, class Out>
__global__ void __launch_bounds__(detail::SplitSum<Sum, Out>::threads)
    split_sum(const __grid_constant__ detail::SplitSum<Sum, Out> x) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  __shared__ typename detail::SplitSum<Sum, Out>::Sums sums[detail::SplitSum<Sum, Out>::threads];
  x.compute(blockIdx.x, blockIdx.z, threadIdx.x, sums, [] { __syncthreads(); });
}

/// @param count  number of products, at most the layers of a grid
template <class Sum, class Out>
void launch_split_sum(cudaStream_t stream, const detail::SplitSum<Sum, Out>& sum, Index count) {
  launch_behind(stream, split_sum<Sum, Out>,
                dim3(static_cast<unsigned>(sum.teams()), 1, static_cast<unsigned>(count)), dim3(sum.threads),
                0, 1, sum);
}

/// A tile of the rung. A tile may have its own object file; other files then declare it `extern template`.
template <ComputeMode math, TileShape shape>
struct WarpgroupOf {
  static void run(cudaStream_t stream, const WarpgroupProblem<math>& problem, const GemmPlan& plan);
  static KernelResources resources();
};

/// Launches on a stream. The `warpgroup` and sum kernels wait in device code for the kernel before them.
struct OnStream {
  cudaStream_t stream;

  Workspace workspace(std::size_t bytes, void* memory) const { return {stream, bytes, memory}; }

  template <class T, class Store>
  void repack(const detail::Repack<T, Store>& copies) const {
    launch_repack(stream, copies);
  }

  template <class G>
  void multiply(const WarpgroupLaunch<G>& launch) const {
    allow_shared_bytes(warpgroup<G>, G::shared_bytes);
    const int cluster = launch.cluster_size();
    const int blocks =
        launch.blocks(resident_clusters<G>(warpgroup<G>, G::threads, G::shared_bytes, cluster));
    launch_behind(stream, warpgroup<G>, dim3(static_cast<unsigned>(blocks)), dim3(G::threads),
                  G::shared_bytes, cluster, launch.a, launch.b, launch.c, launch.args);
  }

  template <class Sum, class Out>
  void sum(const detail::SplitSum<Sum, Out>& of, Index count) const {
    launch_split_sum(stream, of, count);
  }

  template <ComputeMode math, TileShape shape>
  void run(const WarpgroupProblem<math>& problem, const GemmPlan& plan) const {
    WarpgroupOf<math, shape>::run(stream, problem, plan);
  }
};

template <ComputeMode math, TileShape shape>
void WarpgroupOf<math, shape>::run(cudaStream_t stream, const WarpgroupProblem<math>& problem,
                                   const GemmPlan& plan) {
  run_warpgroup<math, shape>(OnStream{stream}, problem, plan);
}

/// Returns the resources of the instance for operands that are contiguous along K. The other instances have
/// equal resources.
template <ComputeMode math, TileShape shape>
KernelResources WarpgroupOf<math, shape>::resources() {
  using G = typename WarpgroupInstance<math, shape>::template Tile<Major::k, Major::k,
                                                                   typename WarpgroupMath<math>::Out>;
  return resources_of(warpgroup<G>, G::threads, G::shared_bytes);
}

/// Returns `resources` of a rung that uses this kernel.
template <Kernel kernel, ComputeMode math>
KernelResources warpgroup_resources(TileShape tile) {
  KernelResources found;
  with_tile<kernel, ElementIn<math>>(
      tile, [&]<class Tile>(const Tile&) { found = WarpgroupOf<math, Tile::shape>::resources(); });
  return found;
}

}  // namespace rooftile::cuda_native
