// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "cuda_native/workspace.hpp"
#include "device/common/stream_parts.hpp"
#include "device/common/stream_sum.hpp"
#include "plan/batch_parts.hpp"
#include "plan/stream.hpp"

/// The common part of the stream-K rungs.
namespace rooftile::cuda_native {

template <class T>
__global__ void __launch_bounds__(detail::StreamSum<T>::threads) stream_sum(detail::StreamSum<T> sum) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  __shared__ typename detail::StreamSum<T>::Sums partial[detail::StreamSum<T>::threads];
  sum.compute(blockIdx.x, threadIdx.x, partial, [] { __syncthreads(); });
}

/// Launches the kernels for one stream of tiles. @param batch  with at most as many tiles as a grid has
/// blocks
template <Kernel kernel, class T>
void stream(cudaStream_t cuda_stream, const BatchArgs<T>& batch, const GemmPlan& plan) {
  const TileShape shape = plan.tile;
  const detail::Stream stream = detail::stream_for(plan, batch.batch.count);
  const std::size_t accumulator_bytes = std::size_t{stream.sums()} * shape.bm * shape.bn * sizeof(Scalar<T>);
  Workspace workspace(cuda_stream, accumulator_bytes, plan.memory);
  const detail::StreamArgs<T> args{batch, stream, workspace.take<Scalar<T>>(accumulator_bytes)};
  with_tile<kernel, T>(shape, [&]<class Tile>(const Tile& tile) {
    const std::size_t shared_bytes = dynamic_shared_bytes<kernel>(shape, type_of<T>());
    with_function<kernel, T, Tile>(plan.vectors, [&](auto* function) {
      allow_shared_bytes(function, shared_bytes);
      launch_kernel(cuda_stream, function, dim3(stream.blocks()), dim3(Tile::max_threads), shared_bytes, args,
                    tile);
    });
  });
  if (stream.shared == 0) return;
  const detail::StreamSum<T> sum{args, shape};
  launch_behind(cuda_stream, stream_sum<T>, dim3(sum.teams()), dim3(sum.threads), 0, 1, sum);
}

/// Launches the rung for parts of at most `batch_chunk` products. The tiles of a part form one stream.
template <Kernel kernel, class T>
void run_stream(cudaStream_t cuda_stream, const BatchArgs<T>& batch, const GemmPlan& plan) {
  for_each_launch(batch, plan.batch_chunk,
                  [&](const BatchArgs<T>& part) { stream<kernel>(cuda_stream, part, plan); });
}

}  // namespace rooftile::cuda_native
