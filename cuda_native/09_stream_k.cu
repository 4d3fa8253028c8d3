// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/stream_sum.cuh"
#include "cuda_native/tile_ops.cuh"
#include "cuda_native/workspace.hpp"
#include "rooftile/detail/gpu/mma_tile.hpp"
#include "rooftile/detail/gpu/pipeline.hpp"
#include "rooftile/detail/gpu/register_tile.hpp"

namespace rooftile::cuda_native {

template <class T, class Tile>
using StreamAccumulator =
    std::conditional_t<sizeof(T) == 8, detail::MmaTile<T, Tile>, detail::RegisterTile<T, Tile>>;

/// Stores a part that begins with `step`: in C, or as one of the sums. Which that is, is asked again, so that
/// it need not stay in registers during the product. @return the part's steps
template <class T, class Tile, class Accumulator>
__device__ Index store_part(const Team<Tile>& team, const BatchArgs<T>& batch, unsigned tiles,
                            const detail::Stream& stream, T* sums, Index step, const Accumulator& acc) {
  const detail::StreamPart part = stream.part(blockIdx.x, detail::unforeseen(step));
  const GemmArgs<T> args = batch.product(part.tile / tiles);
  const bool whole = part.is_whole(stream.steps);
  const MatrixRef<T> target = whole ? args.C : sum_tile(sums, part.sum, team.tile);
  store_registers(team, target, acc, whole ? args.alpha : T(1), whole ? args.beta : T(0),
                  whole ? part.tile % tiles : 0);
  return part.size();
}

/// The tiles that would not fill the multiprocessors are shared, step by step along K: every block ends at
/// the same time, however many tiles C has. The loop is that of the rungs before; a second kernel adds up
/// what blocks have of a tile, always in the same order. The tiles that would not fill the multiprocessors
/// are shared, step by step along K, so that all blocks end at the same time however many tiles C has. The
/// loop is that of the rungs before; a second kernel adds up what blocks have of a tile, always in the same
/// order.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    stream_k(BatchArgs<T> batch, Tile tile, detail::Stream stream, T* sums) {
  const Team team(tile);
  const unsigned tiles = tiles_of_product(batch, Tile::shape);
  extern __shared__ float4 shared[];
  for (Index step = stream.begin(blockIdx.x); step < stream.begin(blockIdx.x + 1);) {
    const detail::StreamPart part = stream.part(blockIdx.x, step);
    const GemmArgs<T> args = batch.product(part.tile / tiles);
    const auto [A, B] = detail::steps_of(args, part, stream.steps, Tile::bk());
    const Origin origin = tile_origin(team, args.C, part.tile % tiles);
    StreamAccumulator<T, Tile> acc(team.rank());
    const auto multiply = [&]<detail::Major a_major, detail::Major b_major>() {
      const PanelRingOf<Kernel::stream_k, T, Tile, a_major, b_major> ring{reinterpret_cast<T*>(shared)};
      detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, origin.row0, origin.col0);
    };
    if constexpr (sizeof(T) == 8) {
      detail::with_majors(A, B, multiply);
    } else {
      multiply.template operator()<detail::Major::x, detail::Major::x>();
    }
    step += store_part(team, batch, tiles, stream, sums, step, acc);
    barrier(team);
  }
}

template <>
struct KernelOf<Kernel::stream_k> {
  template <class T, class Tile>
  static constexpr auto function = &stream_k<T, Tile>;
};

/// @param batch  with no more tiles than a grid has blocks
template <class T>
void stream(cudaStream_t cuda_stream, const BatchArgs<T>& batch, TileShape shape) {
  const detail::Stream stream =
      detail::stream_of(shape, batch.shape(), multiprocessors(), sizeof(T), batch.batch.count);
  const std::size_t sum_bytes = std::size_t{stream.sums()} * shape.bm * shape.bn * sizeof(T);
  Workspace workspace(cuda_stream, sum_bytes);
  T* const sums = workspace.take<T>(sum_bytes);  // (stream.sums(),BM,BN)
  with_tile<Kernel::stream_k, T>(shape, [&]<class Tile>(const Tile& tile) {
    const std::size_t shared_bytes = dynamic_shared_bytes<Kernel::stream_k>(shape, sizeof(T));
    allow_shared_bytes(stream_k<T, Tile>, shared_bytes);
    stream_k<T, Tile>
        <<<stream.blocks(), Tile::max_threads, shared_bytes, cuda_stream>>>(batch, tile, stream, sums);
    check(cudaGetLastError(), "launch a kernel");
  });
  if (stream.shared > 0) launch_stream_sum(cuda_stream, batch, shape, stream, sums);
}

template <class T>
void run_stream_k(cudaStream_t cuda_stream, const BatchArgs<T>& batch, TileShape shape) {
  for_each_part(batch, most_blocks / tiles_of_grid(batch.first.C, shape.bm, shape.bn),
                [&](const BatchArgs<T>& part) { stream(cuda_stream, part, shape); });
}

template <>
void run<Kernel::stream_k, Math::fp32>(cudaStream_t stream, const BatchArgs<float>& batch, TileShape tile) {
  run_stream_k(stream, batch, tile);
}
template <>
void run<Kernel::stream_k, Math::fp64>(cudaStream_t stream, const BatchArgs<double>& batch, TileShape tile) {
  run_stream_k(stream, batch, tile);
}
template KernelResources resources<Kernel::stream_k, Math::fp32>(TileShape);
template KernelResources resources<Kernel::stream_k, Math::fp64>(TileShape);

}  // namespace rooftile::cuda_native
