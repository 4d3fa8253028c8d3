// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launch.cuh"

namespace rooftile::perf::native {

/// A block transposes a tile where it stands. Without the barrier a thread may load an element before the
/// thread that stores it has done so: a race, left in to be seen.
template <int tile, bool barrier>
__global__ void transpose(float* to, const float* from, Index order) {
  __shared__ float shared[tile][tile];  // (T,T)
  const Index row = static_cast<Index>(blockIdx.y) * tile + threadIdx.y;
  const Index col = static_cast<Index>(blockIdx.x) * tile + threadIdx.x;
  shared[threadIdx.y][threadIdx.x] = from[row * order + col];
  if constexpr (barrier) __syncthreads();
  to[row * order + col] = shared[threadIdx.x][threadIdx.y];
}

template <int tile>
void run_tile(cudaStream_t stream, float* to, const float* from, Index order, bool barrier) {
  const auto kernel = barrier ? transpose<tile, true> : transpose<tile, false>;
  const unsigned tiles = blocks_for(order, tile);
  kernel<<<dim3(tiles, tiles), dim3(tile, tile), 0, stream>>>(to, from, order);
  check_launch();
}

inline void run_transpose(cudaStream_t stream, float* to, const float* from, Index order,
                          const TransposeLaunch& launch) {
  switch (launch.tile) {
    case 32:
      return run_tile<32>(stream, to, from, order, launch.barrier);
    case 16:
      return run_tile<16>(stream, to, from, order, launch.barrier);
    case 8:
      return run_tile<8>(stream, to, from, order, launch.barrier);
    case 4:
      return run_tile<4>(stream, to, from, order, launch.barrier);
    case 2:
      return run_tile<2>(stream, to, from, order, launch.barrier);
    default:
      return run_tile<1>(stream, to, from, order, launch.barrier);
  }
}

}  // namespace rooftile::perf::native
