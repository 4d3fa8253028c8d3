// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "cuda_native/launch.cuh"
#include "cuda_native/tile_ops.cuh"
#include "device/common/tile.hpp"
#include "device/nvidia/mma_pipeline.hpp"
#include "device/nvidia/mma_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::cuda_native {

/// Multiplies a tile with the tensor cores, which are twice as fast as the other units in fp64 and ten times
/// in 16 bits. Fragments do not need a contiguous x. A panel therefore keeps the major order of its operand
/// and is copied 16 bytes at a time. Tensor cores have no fp32 instruction: real fp32 elements are multiplied
/// in tf32.
/// @tparam vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
template <class T, class Tile, bool vectors>
__device__ __forceinline__ void multiply_tile(const BatchArgs<T>& batch, const Tile& tile) {
  const Team team(tile);
  const GemmArgs<T> args = product_of(team, batch);
  MatrixRef<const In<T>> A = args.A, B = args.B;
  // Otherwise nvcc keeps both address computations, by strides and by pointers, and 16-bit kernels spill
  // registers.
  A.data = detail::unforeseen_global(A.data), B.data = detail::unforeseen_global(B.data);
  const Origin origin = tile_origin(team, args.C);
  extern __shared__ float4 shared[];
  detail::MmaTile<In<T>, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (4·TM,8·TN) per warp

  detail::with_majors(A, B, [&]<detail::Major a_major, detail::Major b_major>() {
    const PanelRingOf<Kernel::tensor_core, In<T>, Tile, a_major, b_major> ring{
        reinterpret_cast<In<T>*>(shared)};
    detail::multiply_fragments<In<T>, Tile, vectors>(team, acc, ring, A, B, origin.row0, origin.col0);
  });
  store_registers(team, batch, acc);
}

template <class T, class Tile, bool vectors>
__global__ void __launch_bounds__(Tile::max_threads, Tile::min_teams)
    tensor_core(BatchArgs<T> batch, Tile tile) {
  multiply_tile<T, Tile, vectors>(batch, tile);
}

/// Tile `number` of the rung's row as a type, for elements of T.
template <class T, std::size_t number>
using FragmentTile = Tile<ladder_tiles::tensor_core[number],
                          detail::teams_per_sm(ladder_tiles::tensor_core[number], type_of<T>())>;

template <>
struct KernelOf<Kernel::tensor_core> {
  template <class T, class Tile, bool vectors = false>
  static constexpr auto function = &tensor_core<T, Tile, vectors>;
};

}  // namespace rooftile::cuda_native
