// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda_native/launch.cuh"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/detail/gpu/copy.hpp"
#include "rooftile/detail/stream.hpp"

/// The sums of the tiles of C that blocks share.
namespace rooftile::cuda_native {

/// A part's sum as a matrix of its own.
template <class T, class Tile>
__device__ MatrixRef<T> sum_tile(T* sums, unsigned sum, const Tile& tile) {
  return {sums + Index{sum} * tile.bm() * tile.bn(), tile.bm(), tile.bn(), tile.bn(), 1};
}

/// Of C, of each product.
template <class T>
__device__ unsigned tiles_of_product(const BatchArgs<T>& batch, TileShape tile) {
  const MatrixRef<T>& C = batch.first.C;
  return static_cast<unsigned>((C.rows + tile.bm - 1) / tile.bm * ((C.cols + tile.bn - 1) / tile.bn));
}

inline constexpr int stream_sum_threads = 256;
inline constexpr int stream_sum_lanes =
    8;  ///< threads that share a vector of elements where it has many sums

/// C = alpha · (sum of a tile's parts) + beta · C, of each shared tile. A thread's elements are one vector of
/// a tile; blockDim.y lanes take turns with its parts. Always in the same order.
template <class T>
__global__ void __launch_bounds__(stream_sum_threads)
    stream_sum(BatchArgs<T> batch, TileShape tile, detail::Stream stream, const T* sums) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  constexpr int width = 16 / sizeof(T);
  using Vector = detail::Vector<T, width>;
  __shared__ Vector partial[stream_sum_threads];
  const auto blocks_per_tile = static_cast<unsigned>(tile.bm * tile.bn / width) / blockDim.x;
  const unsigned shared = blockIdx.x / blocks_per_tile;
  const unsigned element = (blockIdx.x % blocks_per_tile * blockDim.x + threadIdx.x) * width;
  const Index first = shared * stream.steps;
  const unsigned begin = stream.share_at(first), end = stream.share_at(first + stream.steps - 1) + 1;
  if (end - begin == 1) return;  // the tile is whole
  Vector sum = {};
  const auto add = [&sum](const Vector& y) {
#pragma unroll
    for (int e = 0; e < width; ++e) sum.value[e] += y.value[e];
  };
#pragma unroll 4
  for (unsigned share = begin + threadIdx.y; share < end; share += blockDim.y) {
    add(*reinterpret_cast<const Vector*>(sums + Index{share + shared} * tile.bm * tile.bn + element));
  }
  partial[threadIdx.y * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (unsigned lane = 1; lane < blockDim.y; ++lane) add(partial[lane * blockDim.x + threadIdx.x]);
  const unsigned tiles = tiles_of_product(batch, tile), rank = (stream.whole + shared) % tiles;
  const GemmArgs<T> args = batch.product((stream.whole + shared) / tiles);
  const auto tiles_n = static_cast<unsigned>((args.C.cols + tile.bn - 1) / tile.bn);
  const Index row = Index{rank / tiles_n} * tile.bm + element / static_cast<unsigned>(tile.bn);
  const Index col = Index{rank % tiles_n} * tile.bn + element % static_cast<unsigned>(tile.bn);
#pragma unroll
  for (int e = 0; e < width; ++e) {
    if (row < args.C.rows && col + e < args.C.cols) {
      detail::update(args.C(row, col + e), args.alpha, sum.value[e], args.beta);
    }
  }
}

template <class T>
void launch_stream_sum(cudaStream_t cuda_stream, const BatchArgs<T>& batch, TileShape tile,
                       const detail::Stream& stream, const T* sums) {
  const bool many = stream.shares > stream_sum_lanes * stream.shared;
  const unsigned lanes = many ? stream_sum_lanes : 1, vectors = stream_sum_threads / lanes;
  const auto width = static_cast<unsigned>(16 / sizeof(T));
  const unsigned blocks = stream.shared * (static_cast<unsigned>(tile.bm * tile.bn) / width / vectors);
  launch_behind(cuda_stream, stream_sum<T>, dim3(blocks), dim3(vectors, lanes), 0, 1, batch, tile, stream,
                sums);
}

}  // namespace rooftile::cuda_native
