// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_native/launch.cuh"
#include "cuda_native/split_sum.cuh"
#include "cuda_native/tile_ops.cuh"
#include "cuda_native/workspace.hpp"
#include "rooftile/detail/gpu/mma_tile.hpp"
#include "rooftile/detail/gpu/pipeline.hpp"
#include "rooftile/detail/gpu/register_tile.hpp"

namespace rooftile::cuda_native {

/// The slices of K, and where their products go: (batch,count,M,N), row-major, one slice behind the other.
template <class T>
struct Slices {
  int count;
  Index k;  ///< of a slice; the last may be shorter
  MatrixRef<T> first;
  Index apart;
};

template <class T, class Tile>
using SliceAccumulator =
    std::conditional_t<sizeof(T) == 8, detail::MmaTile<T, Tile>, detail::RegisterTile<T, Tile>>;

/// Where C has fewer tiles than the device has multiprocessors, blocks share a tile: each multiplies a slice
/// of K by the pipeline of the rungs before, and a second kernel adds the slices, always in the same order.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    split_k(BatchArgs<T> batch, Tile tile, Slices<T> slices) {
  const Team team(tile);
  const GemmArgs<T> args = product_of(team, batch);
  const unsigned slice = blockIdx.x % slices.count, rank = blockIdx.x / slices.count;
  const Index k0 = slice * slices.k, rest = args.A.cols - k0, k = rest < slices.k ? rest : slices.k;
  const MatrixRef<const T> A{&args.A(0, k0), args.A.rows, k, args.A.row_stride, args.A.col_stride};
  const MatrixRef<const T> B{&args.B(k0, 0), k, args.B.cols, args.B.row_stride, args.B.col_stride};
  MatrixRef<T> C = slices.first;
  C.data += (Index{blockIdx.z} * slices.count + slice) * slices.apart;
  const Origin origin = tile_origin(team, C, rank);
  extern __shared__ float4 shared[];
  SliceAccumulator<T, Tile> acc(team.rank());

  const auto multiply = [&]<detail::Major a_major, detail::Major b_major>() {
    const PanelRingOf<Kernel::split_k, T, Tile, a_major, b_major> ring{reinterpret_cast<T*>(shared)};
    detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, origin.row0, origin.col0);
  };
  if constexpr (sizeof(T) == 8) {
    detail::with_majors(A, B, multiply);
  } else {
    multiply.template operator()<detail::Major::x, detail::Major::x>();
  }
  store_registers(team, C, acc, T(1), T(0), rank);
}

template <>
struct KernelOf<Kernel::split_k> {
  template <class T, class Tile>
  static constexpr auto function = &split_k<T, Tile>;
};

/// @param batch  of at most `most_layers` products
template <class T>
void run_split_k(cudaStream_t stream, const BatchArgs<T>& batch, TileShape shape, int count) {
  const GemmArgs<T>& args = batch.first;
  const Index steps = (args.A.cols + shape.bk - 1) / shape.bk, width = 16 / sizeof(T);
  const Index ld = (args.C.cols + width - 1) / width * width, plane = args.C.rows * ld;
  const auto bytes = static_cast<std::size_t>(batch.batch.count * count * plane) * sizeof(T);
  Workspace workspace(stream, bytes);
  T* const sums = workspace.take<T>(bytes);  // (batch,count,M,ld)
  const Slices<T> slices{count, (steps + count - 1) / count * shape.bk,
                         row_major(sums, args.C.rows, args.C.cols, ld), plane};
  with_tile<Kernel::split_k, T>(shape, [&]<class Tile>(const Tile& tile) {
    const Index tiles =
        (args.C.rows + tile.bm() - 1) / tile.bm() * ((args.C.cols + tile.bn() - 1) / tile.bn());
    const std::size_t shared_bytes = dynamic_shared_bytes<Kernel::split_k>(shape, sizeof(T));
    allow_shared_bytes(split_k<T, Tile>, shared_bytes);
    const dim3 grid(static_cast<unsigned>(tiles * count), 1, static_cast<unsigned>(batch.batch.count));
    split_k<T, Tile><<<grid, Tile::max_threads, shared_bytes, stream>>>(batch, tile, slices);
    check(cudaGetLastError(), "launch a kernel");
  });
  launch_split_sum<T, T>(stream,
                         {sums, ld, plane, count, args.C, args.alpha, args.beta, batch.batch.stride_c},
                         batch.batch.count);
}

template <class T>
void run_split_k(cudaStream_t stream, const BatchArgs<T>& batch, TileShape shape) {
  const int count = detail::slices_of(shape, batch.shape(), multiprocessors(), sizeof(T), batch.batch.count);
  for_each_part(batch, most_layers,
                [&](const BatchArgs<T>& part) { run_split_k(stream, part, shape, count); });
}

template <>
void run<Kernel::split_k, Math::fp32>(cudaStream_t stream, const BatchArgs<float>& args, TileShape tile) {
  run_split_k(stream, args, tile);
}
template <>
void run<Kernel::split_k, Math::fp64>(cudaStream_t stream, const BatchArgs<double>& args, TileShape tile) {
  run_split_k(stream, args, tile);
}
template KernelResources resources<Kernel::split_k, Math::fp32>(TileShape);
template KernelResources resources<Kernel::split_k, Math::fp64>(TileShape);

}  // namespace rooftile::cuda_native
