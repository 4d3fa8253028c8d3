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

/// The tensor cores multiply: in fp64 they do twice what the other units can, in 16 bits ten times. Fragments
/// need no contiguous x, so a panel keeps its operand's own order and is copied 16 bytes at a time whichever
/// that is. Of fp32, whose own products they have no instruction for, they multiply the tf32 in it.
/// @tparam vectors  whether lines of both operands are known to be whole vectors
template <class T, class Tile, bool vectors>
__device__ __forceinline__ void multiply_tile(const BatchArgs<T>& batch, const Tile& tile) {
  const Team team(tile);
  const GemmArgs<T> args = product_of(team, batch);
  MatrixRef<const In<T>> A = args.A, B = args.B;
  // Else nvcc keeps both of the ways to get there, strides and pointers, and of 16 bits spills.
  A.data = detail::unforeseen_global(A.data), B.data = detail::unforeseen_global(B.data);
  const Origin origin = tile_origin(team, args.C);
  extern __shared__ float4 shared[];
  detail::MmaTile<In<T>, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // of a warp, (4·TM,8·TN)

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

/// A tile of the rung, as a type, for elements of T.
/// @tparam number  in the row
template <class T, std::size_t number>
using FragmentTile = Tile<ladder_tiles::tensor_core[number],
                          detail::teams_per_sm(ladder_tiles::tensor_core[number], type_of<T>())>;

template <>
struct KernelOf<Kernel::tensor_core> {
  template <class T, class Tile, bool vectors = false>
  static constexpr auto function = &tensor_core<T, Tile, vectors>;
};

}  // namespace rooftile::cuda_native
