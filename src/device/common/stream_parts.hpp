// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device/common/batch_product.hpp"
#include "device/common/verbs.hpp"
#include "plan/batch_parts.hpp"
#include "plan/stream.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// The work of a team that shares tiles of C with other teams, for any loop that multiplies.
namespace rooftile::detail {

/// The arguments of the stream-K kernels.
/// @tparam Products  BatchArgs<T>, or StridedArgs<T>
template <class T, class Products = BatchArgs<T>>
struct StreamArgs {
  Products batch;
  Stream stream;
  Scalar<T>* sums;  // (stream.sums(),BM,BN)

  /// Returns partial sum `number` as a matrix.
  ROOFTILE_FUNCTION MatrixRef<Scalar<T>> sum(unsigned number, TileShape tile) const {
    return {global_pointer(sums) + Index{number} * tile.bm * tile.bn, tile.bm, tile.bn, tile.bn, 1};
  }
};

/// Returns X with its members in scalar registers, on GPUs that have them.
template <class T>
ROOFTILE_FUNCTION MatrixRef<T> in_scalars(const MatrixRef<T>& X) {
  return {global_pointer(X.data), unforeseen_scalar(X.rows), unforeseen_scalar(X.cols),
          unforeseen_scalar(X.row_stride), unforeseen_scalar(X.col_stride)};
}

/// The product of a tile of C and the tile's origin.
template <class T>
struct StreamTile {
  GemmArgs<T> args;
  Index row0;
  Index col0;
};

/// @param tile  index of the tile among the tiles of all batch entries
template <template <class> class Products, class T>
ROOFTILE_FUNCTION StreamTile<T> stream_tile(const Products<T>& batch, TileShape shape, unsigned tile) {
  const MatrixRef<Out<T>>& C = batch.first.C;
  const auto tiles_m = static_cast<unsigned>((C.rows + shape.bm - 1) / shape.bm);
  const auto tiles_n = static_cast<unsigned>((C.cols + shape.bn - 1) / shape.bn);
  const unsigned product = tile / (tiles_m * tiles_n), rank = tile % (tiles_m * tiles_n);
  GemmArgs<T> args = product_of(batch, product);
  args.C.data = global_pointer(args.C.data);
  return {args, Index{rank / tiles_n} * shape.bm, Index{rank % tiles_n} * shape.bn};
}

/// Stores the part that begins with `step`: in C, or as a partial sum. The part is looked up again, so that
/// it need not stay in registers during the product.
/// @return the number of steps of the part
template <class Tile, class T, class Products, class Team, class Accumulator>
ROOFTILE_FUNCTION Index store_part(const Team& team, const StreamArgs<T, Products>& args, unsigned block,
                                   Index step, const Accumulator& acc) {
  const Stream& stream = args.stream;
  const StreamPart part = part_of(stream, block, unforeseen(step));
  const auto [product, row0, col0] = stream_tile(args.batch, Tile::shape, part.tile);
  const auto [alpha, A, B, beta, C] = product;
  const MatrixRef<Scalar<T>> sum = args.sum(part.sum, Tile::shape);
  const int rank = unforeseen(team.rank());
  const bool whole = part.is_whole(stream.steps);
  if constexpr (std::is_same_v<Out<T>, Scalar<T>>) {
    const MatrixRef<Out<T>> target =
        whole ? MatrixRef<Out<T>>(C) : sum;  // a copy: two matrices in memory are slower
    const Index row = whole ? row0 : 0, col = whole ? col0 : 0;
    if constexpr (is_complex<T>) {
      acc.store(target, row, col, rank, whole ? alpha : Scalar<T>(1), whole ? beta : Scalar<T>(0),
                reads_conjugates(A));
    } else {
      acc.store(target, row, col, rank, whole ? alpha : Scalar<T>(1), whole ? beta : Scalar<T>(0));
    }
  } else if (whole) {
    acc.store(C, row0, col0, rank, alpha, beta);
  } else {
    acc.store(sum, 0, 0, rank, Scalar<T>(1), Scalar<T>(0));
  }
  return part.size();
}

/// Computes the team's parts one after the other. `multiply(acc, A, B, row0, col0)` adds the product of the
/// part's columns of A and rows of B to the team's tile of C at (row0,col0).
/// @param block  index of the team
template <class Accumulator, class Tile, class T, class Products, class Team, class Multiply>
ROOFTILE_FUNCTION void multiply_parts(const Team& team, const StreamArgs<T, Products>& args, unsigned block,
                                      const Multiply& multiply) {
  const Stream& stream = args.stream;
  ROOFTILE_UNROLL(1)
  for (Index step = unforeseen_scalar(stream.begin(block)); step < stream.begin(block + 1);) {
    const StreamPart part = part_of(stream, block, step);
    const StreamTile<T> tile = stream_tile(args.batch, Tile::shape, part.tile);
    const auto [A, B] = steps_of(tile.args, part, stream.steps, Tile::bk());
    Accumulator acc(team.rank(), conjugates_b(A, B));
    multiply(acc, in_scalars(A), in_scalars(B), unforeseen_scalar(tile.row0), unforeseen_scalar(tile.col0));
    step = unforeseen_scalar(step + store_part<Tile>(team, args, block, step, acc));
    barrier(team);
  }
}

}  // namespace rooftile::detail
