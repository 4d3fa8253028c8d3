// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/small_tiles.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::cuda_native {

inline constexpr int small_threads = rung_of(Kernel::small_batched).block_threads;

template <class T, class Tile>
using SmallTilesOf = detail::SmallTiles<T, Tile, small_threads, BatchArgs<T>>;

/// A block computes the tiles of several batch entries, each with a few of its threads. A block per entry
/// would leave most threads idle and use only half of each memory line.
template <class T, class Tile>
__global__ void __launch_bounds__(small_threads) small_batched(BatchArgs<T> batch, Tile tile) {
  using Tiles = SmallTilesOf<T, Tile>;
  const Team team(tile);
  __shared__ typename Tiles::Sum shared[Tiles::elements];
  const Tiles tiles(batch, shared, blockIdx.x, team.rank());
  typename Tiles::Accumulator acc;  // (TM,TN)

  for (Index k0 = 0; k0 < batch.first.A.cols; k0 += tile.bk()) {
    tiles.load(k0);
    barrier(team);
    tiles.multiply_add(acc);
    barrier(team);
  }
  tiles.keep(acc);
  barrier(team);
  tiles.store();
}

template <>
struct KernelOf<Kernel::small_batched> {
  template <class T, class Tile>
  static constexpr auto function = &small_batched<T, Tile>;
};

template <Kernel kernel, class T>
void run_small(cudaStream_t stream, const BatchArgs<T>& batch, const GemmPlan& plan) {
  with_tile<kernel, T>(plan.tile, [&]<class Tile>(const Tile& tile) {
    constexpr Index tiles = SmallTilesOf<T, Tile>::tiles;
    for_each_part(batch, max_blocks * tiles, [&](const BatchArgs<T>& part) {
      const Index blocks = (part.batch.count + tiles - 1) / tiles;
      launch_kernel(stream, KernelOf<kernel>::template function<T, Tile>, dim3(static_cast<unsigned>(blocks)),
                    dim3(small_threads), 0, part, tile);
    });
  });
}

template void run<Kernel::small_batched, ComputeMode::fp32>(cudaStream_t, const BatchArgs<float>&,
                                                            const GemmPlan&);
template void run<Kernel::small_batched, ComputeMode::fp64>(cudaStream_t, const BatchArgs<double>&,
                                                            const GemmPlan&);
template void run<Kernel::small_batched, ComputeMode::fp16>(cudaStream_t, const BatchArgs<float16>&,
                                                            const GemmPlan&);
template void run<Kernel::small_batched, ComputeMode::bf16>(cudaStream_t, const BatchArgs<bfloat16>&,
                                                            const GemmPlan&);
template void run<Kernel::small_batched, ComputeMode::cfp32>(cudaStream_t, const BatchArgs<complex<float>>&,
                                                             const GemmPlan&);
template void run<Kernel::small_batched, ComputeMode::cfp64>(cudaStream_t, const BatchArgs<complex<double>>&,
                                                             const GemmPlan&);
template void run<Kernel::small_batched, ComputeMode::fp16_fp32>(cudaStream_t,
                                                                 const BatchArgs<Mixed<float16, float>>&,
                                                                 const GemmPlan&);
template void run<Kernel::small_batched, ComputeMode::bf16_fp32>(cudaStream_t,
                                                                 const BatchArgs<Mixed<bfloat16, float>>&,
                                                                 const GemmPlan&);
template void run<Kernel::small_batched, ComputeMode::int8_int32>(
    cudaStream_t, const BatchArgs<Mixed<std::int8_t, std::int32_t>>&, const GemmPlan&);
template KernelResources resources<Kernel::small_batched, ComputeMode::fp32>(TileShape);
template KernelResources resources<Kernel::small_batched, ComputeMode::fp64>(TileShape);
template KernelResources resources<Kernel::small_batched, ComputeMode::fp16>(TileShape);
template KernelResources resources<Kernel::small_batched, ComputeMode::bf16>(TileShape);
template KernelResources resources<Kernel::small_batched, ComputeMode::cfp32>(TileShape);
template KernelResources resources<Kernel::small_batched, ComputeMode::cfp64>(TileShape);
template KernelResources resources<Kernel::small_batched, ComputeMode::int8_int32>(TileShape);
template KernelResources resources<Kernel::small_batched, ComputeMode::fp16_fp32>(TileShape);
template KernelResources resources<Kernel::small_batched, ComputeMode::bf16_fp32>(TileShape);

}  // namespace rooftile::cuda_native
