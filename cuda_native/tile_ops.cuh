// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "device/common/batch_product.hpp"
#include "device/common/delay_injection.hpp"
#include "device/common/tile.hpp"
#include "device/common/tile_order.hpp"
#include "device/common/verbs.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

/// The functions that the rungs of the native ladder call. `backends/kokkos/tile_ops.hpp` defines functions
/// with equal names for the portable ladder.
namespace rooftile::cuda_native {

/// The thread (ty,tx) of the block that computes a tile of C. On the rungs up to `tiled_dynamic`, the thread
/// computes element (ty,tx) of the tile.
template <class Tile>
struct Team {
  Tile tile;
  int ty = threadIdx.y;
  int tx = threadIdx.x;

  __device__ explicit Team(const Tile& tile_) : tile(tile_) {}

  __device__ int rank() const { return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); }
};

/// Returns the block's product. Each product is a layer of the grid.
template <class Tile, class T>
__device__ GemmArgs<T> product_of(const Team<Tile>&, const BatchArgs<T>& batch, unsigned layer = blockIdx.z) {
  if constexpr (knows_both_dimensions<Tile>) {
    return detail::product_of(batch, layer);
  } else {
    return detail::product_in_line(batch, layer);
  }
}

/// Returns the first row and column of the block's tile of C. Tiles are numbered in dimension x of the grid,
/// because the other dimensions end at 65,535 blocks.
using detail::Origin;
template <class Tile, class T>
__device__ Origin tile_origin(const Team<Tile>& team, const MatrixRef<T>& C, unsigned rank = blockIdx.x) {
  return detail::origin_of_tile(team.tile, C, rank);
}

/// A tile in shared memory with run-time extents.
template <class T>
struct SharedTile {
  T* data;
  int cols;

  __device__ T* operator[](int i) const { return data + i * cols; }
};

template <class Tile>
__device__ void barrier(const Team<Tile>&) {
  __syncthreads();
  detail::shake<detail::Step::barrier>();
}

/// The path of a block through the tiles of A or B along K. A thread keeps the address of its element and
/// advances it by a constant. An address computed from two strides costs a 32×32 tile a tenth of its speed on
/// an H200.
template <class T>
struct TileWalk {
  const T* element;  ///< the thread's element in the current tile
  Index step;        ///< elements to the next tile
};

/// Returns the path through the tiles (BM,BK) of A from row0 on, left to right.
template <class Tile, class T>
__device__ TileWalk<T> walk_right(const Team<Tile>& team, const MatrixRef<const T>& A, Index row0) {
  return {&A(row0 + team.ty, team.tx), team.tile.bk() * A.col_stride};
}

/// Returns the path through the tiles (BK,BN) of B from col0 on, downwards.
template <class Tile, class T>
__device__ TileWalk<T> walk_down(const Team<Tile>& team, const MatrixRef<const T>& B, Index col0) {
  return {&B(team.ty, col0 + team.tx), team.tile.bk() * B.row_stride};
}

/// Loads the current tile of `walk`, one element per thread, and advances `walk`. @pre the tile lies inside X
template <class Tile, class Shared, class T>
__device__ void load_tile(const Team<Tile>& team, Shared& tile, const MatrixRef<const T>& X, Index, Index,
                          TileWalk<T>& walk) {
  tile[team.ty][team.tx] = X.read(*walk.element);
  walk.element += walk.step;
}

/// Loads the tile of X at (row0,col0), with 0 for elements outside X, and advances `walk`.
template <class Tile, class Shared, class T>
__device__ void load_tile_checked(const Team<Tile>& team, Shared& tile, const MatrixRef<const T>& X,
                                  Index row0, Index col0, TileWalk<T>& walk) {
  const bool inside = row0 + team.ty < X.rows && col0 + team.tx < X.cols;
  tile[team.ty][team.tx] = inside ? X.read(*walk.element) : T(0);
  walk.element += walk.step;
}

/// Steps along k that the teaching rungs unroll: all of a constant BK, but at most 16 in cfp64, and 4 of a
/// run-time BK, or 2 if complex. Complex numbers need two to four times as many registers. One block of 1,024
/// threads leaves each thread 64 registers, and two blocks leave 32.
template <class T, class Tile>
inline constexpr int unrolled_products = Tile::constant_bk == 0 ? (detail::is_complex<T> ? 2 : 4)
                                         : sizeof(T) == 16      ? std::min(Tile::constant_bk, 16)
                                                                : Tile::constant_bk;

/// acc += the thread's row of a (1,BK) · its column of b (BK,1).
template <class Tile, class T, class Shared>
__device__ void multiply_add(const Team<Tile>& team, T& acc, const Shared& a, const Shared& b) {
  [[maybe_unused]] constexpr int unroll = unrolled_products<T, Tile>;
  ROOFTILE_UNROLL(unroll)
  for (int k = 0; k < team.tile.bk(); ++k) {
    detail::multiply_add(acc, a[team.ty][k], b[k][team.tx]);
  }
}

/// Returns the block's product again for the store. The values are recomputed, so that they occupy no
/// registers during the product.
template <class Tile, class T>
__device__ GemmArgs<T> product_again(const Team<Tile>& team, const BatchArgs<T>& batch) {
  return product_of(team, batch, detail::unforeseen(blockIdx.z));
}

/// C = alpha·acc + beta·C for the thread's element. @pre the element lies inside C
template <class Tile, class T>
__device__ void store_tile(const Team<Tile>& team, const BatchArgs<T>& batch, Origin origin, T acc) {
  const GemmArgs<T> args = product_again(team, batch);
  detail::update(args.C(origin.row0 + team.ty, origin.col0 + team.tx), args.alpha, acc, args.beta);
}

/// C = alpha·acc + beta·C for the thread's element. An element outside C is skipped.
template <class Tile, class T>
__device__ void store_tile_checked(const Team<Tile>& team, const BatchArgs<T>& batch, Origin origin, T acc) {
  const GemmArgs<T> args = product_again(team, batch);
  const Index row = origin.row0 + team.ty, col = origin.col0 + team.tx;
  if (row < args.C.rows && col < args.C.cols) detail::update(args.C(row, col), args.alpha, acc, args.beta);
}

/// C = alpha·acc + beta·C for the team's tile. Elements outside C are skipped. The position of the tile is
/// recomputed, because the product needs the registers that would hold it.
template <class Tile, class T, class Accumulator>
__device__ void store_registers(const Team<Tile>& team, const MatrixRef<T>& C, const Accumulator& acc,
                                Scalar<T> alpha, Scalar<T> beta, unsigned rank = blockIdx.x,
                                [[maybe_unused]] bool conjugates = false) {
  const auto [row0, col0] = tile_origin(team, C, detail::unforeseen(rank));
  if constexpr (detail::is_complex<T>) {
    acc.store(C, row0, col0, detail::unforeseen(team.rank()), alpha, beta, conjugates);
  } else {
    acc.store(C, row0, col0, detail::unforeseen(team.rank()), alpha, beta);
  }
}
template <class Tile, class T, class Accumulator>
__device__ void store_registers(const Team<Tile>& team, const BatchArgs<T>& batch, const Accumulator& acc) {
  const GemmArgs<T> args = product_again(team, batch);
  store_registers(team, args.C, acc, args.alpha, args.beta, blockIdx.x, detail::reads_conjugates(args.A));
}

}  // namespace rooftile::cuda_native
