// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include "backends/kokkos/backend.hpp"
#include "backends/kokkos/products.hpp"
#include "device/common/batch_product.hpp"
#include "device/common/fused_update.hpp"
#include "device/common/tile.hpp"
#include "device/common/tile_order.hpp"
#include "device/common/verbs.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

/// The functions that the rungs of the portable ladder call. `cuda_native/tile_ops.cuh` defines functions
/// with equal names for the native ladder.
namespace rooftile::portable {

/// A tile in team scratch memory. A Kokkos::View has 64-bit extents, which cost the rung with run-time tiles
/// the registers of a second team per SM.
template <class T>
struct ScratchTile {
  T* data;
  int rows;
  int cols;

  KOKKOS_FUNCTION T& operator()(int i, int j) const { return data[i * cols + j]; }
};

/// The thread (ty,tx) of the team that computes a tile of C. The thread computes the (TM,TN) elements from
/// (ty·TM,tx·TN) on.
template <class Member, class Tile>
struct Team {
  using Exec = typename Member::execution_space;
  static constexpr bool several_products = Backend<Exec>::batch_in_one_launch;

  const Member& member;
  Tile tile;
  int ty;
  int tx;
  unsigned tiles;  ///< per product

  template <class T>
  KOKKOS_FUNCTION Team(const Member& member_, const Tile& tile_, const Products<T>& batch)
      : member(member_),
        tile(tile_),
        ty(member_.team_rank() / threads_x()),
        tx(member_.team_rank() % threads_x()),
        tiles(tiles_of_product(static_cast<unsigned>(member_.league_size()), batch)) {}

  /// For groups, whose tiles belong to products of any shapes.
  KOKKOS_FUNCTION Team(const Member& member_, const Tile& tile_)
      : member(member_),
        tile(tile_),
        ty(member_.team_rank() / threads_x()),
        tx(member_.team_rank() % threads_x()),
        tiles(0) {}

  /// Returns the team with its number of tiles recomputed for the store, so that the number occupies no
  /// register before.
  template <class T>
  KOKKOS_FUNCTION Team again(const Products<T>& batch) const {
    Team team = *this;
    team.tiles = tiles_of_product(detail::unforeseen(static_cast<unsigned>(member.league_size())), batch);
    return team;
  }

  KOKKOS_FUNCTION int rank() const { return member.team_rank(); }
  KOKKOS_FUNCTION unsigned rank_in_league() const { return static_cast<unsigned>(member.league_rank()); }
  KOKKOS_FUNCTION int threads_y() const { return tile.bm() / tile.tm(); }
  KOKKOS_FUNCTION int threads_x() const { return tile.bn() / tile.tn(); }

 private:
  template <class T>
  KOKKOS_FUNCTION static unsigned tiles_of_product(unsigned teams, const Products<T>& batch) {
    return teams / static_cast<unsigned>(batch.batch.count);
  }
};

/// The elements of C that one thread accumulates, (TM,TN), in registers if TM and TN are constants.
template <class T, class Tile>
struct Accumulator {
  T value[Tile::max_tm][Tile::max_tn] = {};
};

/// Returns the team's product. Teams are numbered product by product, and in a product tile by tile. The
/// number of teams fits 32 bits, and so the division does; in 64 bits it would need many registers.
template <class Member, class Tile, class T>
KOKKOS_FUNCTION GemmArgs<T> product_of(const Team<Member, Tile>& team, const Products<T>& batch,
                                       unsigned rank) {
  if constexpr (!Team<Member, Tile>::several_products) {
    return batch.first;
  } else if constexpr (knows_both_dimensions<Tile>) {
    return detail::product_of(batch, rank / team.tiles);
  } else {
    return detail::product_in_line(batch, rank / team.tiles);
  }
}
template <class Member, class Tile, class T>
KOKKOS_FUNCTION GemmArgs<T> product_of(const Team<Member, Tile>& team, const Products<T>& batch) {
  return product_of(team, batch, team.rank_in_league());
}

/// Returns the first row and column of the team's tile of C.
using detail::Origin, detail::origin_of_tile;
template <class Member, class Tile, class T>
KOKKOS_FUNCTION Origin tile_origin(const Team<Member, Tile>& team, const MatrixRef<T>& C, unsigned rank) {
  return origin_of_tile(team.tile, C, Team<Member, Tile>::several_products ? rank % team.tiles : rank);
}
template <class Member, class Tile, class T>
KOKKOS_FUNCTION Origin tile_origin(const Team<Member, Tile>& team, const MatrixRef<T>& C) {
  return tile_origin(team, C, team.rank_in_league());
}

/// Returns the next `bytes` bytes of the team's scratch memory.
template <class Member>
KOKKOS_FUNCTION void* scratch_memory(const Member& member, std::size_t bytes) {
  return Backend<typename Member::execution_space>::aligned_scratch(
      member.team_scratch(0).get_shmem_aligned(bytes, scratch_alignment));
}

/// Returns a tile (rows,cols) in the team's scratch memory.
template <class T, class Member, class Tile>
KOKKOS_FUNCTION ScratchTile<T> scratch_tile(const Team<Member, Tile>& team, int rows, int cols) {
  const auto bytes = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * sizeof(T);
  return {static_cast<T*>(scratch_memory(team.member, bytes)), rows, cols};
}

template <class Member, class Tile>
KOKKOS_FUNCTION void barrier(const Team<Member, Tile>& team) {
  if constexpr (Tile::min_teams > 0) {
    Backend<typename Member::execution_space>::barrier(team.member);
  } else {
    team.member.team_barrier();
  }
}

/// The path of a team through the tiles of A or B along K. A thread keeps the address of its first element
/// and advances it by a constant. An address computed from two strides costs a 32×32 tile a tenth of its
/// speed on an H200.
template <class T>
struct TileWalk {
  const T* element;  ///< the thread's first element in the current tile
  Index step;        ///< elements to the next tile
};

/// Returns the path through the tiles (BM,BK) of A from row0 on, left to right.
template <class Member, class Tile, class T>
KOKKOS_FUNCTION TileWalk<T> walk_right(const Team<Member, Tile>& team, const MatrixRef<const T>& A,
                                       Index row0) {
  return {&A(row0 + team.ty, team.tx), team.tile.bk() * A.col_stride};
}

/// Returns the path through the tiles (BK,BN) of B from col0 on, downwards.
template <class Member, class Tile, class T>
KOKKOS_FUNCTION TileWalk<T> walk_down(const Team<Member, Tile>& team, const MatrixRef<const T>& B,
                                      Index col0) {
  return {&B(team.ty, col0 + team.tx), team.tile.bk() * B.row_stride};
}

/// Calls f(i, j) for each element (i0+ty,j0+tx) of a tile that the thread loads, from (i,j) = (0,0) on.
template <class Member, class Tile, class Scratch, class F>
KOKKOS_FUNCTION void for_each_load(const Team<Member, Tile>& team, const Scratch& tile, const F& f) {
  if constexpr (Tile::loads_once) {
    f(0, 0);
  } else {
    for (int i = 0; i < tile.rows; i += team.threads_y()) {
      for (int j = 0; j < tile.cols; j += team.threads_x()) f(i, j);
    }
  }
}

/// Loads the current tile of `walk` and advances `walk`. @pre the tile lies inside X
template <class Member, class Tile, class Scratch, class T>
KOKKOS_FUNCTION void load_tile(const Team<Member, Tile>& team, const Scratch& tile,
                               const MatrixRef<const T>& X, Index, Index, TileWalk<T>& walk) {
  for_each_load(team, tile, [&](int i, int j) {
    tile(i + team.ty, j + team.tx) = X.read(walk.element[i * X.row_stride + j * X.col_stride]);
  });
  walk.element += walk.step;
}

/// Loads the tile of X at (row0,col0), with 0 for elements outside X, and advances `walk`.
template <class Member, class Tile, class Scratch, class T>
KOKKOS_FUNCTION void load_tile_checked(const Team<Member, Tile>& team, const Scratch& tile,
                                       const MatrixRef<const T>& X, Index row0, Index col0,
                                       TileWalk<T>& walk) {
  for_each_load(team, tile, [&](int i, int j) {
    const bool inside = row0 + i + team.ty < X.rows && col0 + j + team.tx < X.cols;
    tile(i + team.ty, j + team.tx) =
        inside ? X.read(walk.element[i * X.row_stride + j * X.col_stride]) : T(0);
  });
  walk.element += walk.step;
}

/// acc (TM,TN) += the thread's rows of a (TM,BK) · its columns of b (BK,TN).
template <class Member, class Tile, class T, class Scratch>
KOKKOS_FUNCTION void multiply_add(const Team<Member, Tile>& team, Accumulator<T, Tile>& acc, const Scratch& a,
                                  const Scratch& b) {
  const Tile& tile = team.tile;
  [[maybe_unused]] constexpr int unroll = Backend<typename Member::execution_space>::template unroll<Tile>;
  ROOFTILE_UNROLL(unroll)
  for (int k = 0; k < tile.bk(); ++k) {
    for (int i = 0; i < tile.tm(); ++i) {
      for (int j = 0; j < tile.tn(); ++j) {
        detail::multiply_add(acc.value[i][j], a(team.ty * tile.tm() + i, k), b(k, team.tx * tile.tn() + j));
      }
    }
  }
}

/// Calls f(row, col, i, j) for each element (i,j) that the thread owns, at (row,col) of C.
template <class Member, class Tile, class F>
KOKKOS_FUNCTION void for_each_element(const Team<Member, Tile>& team, Origin origin, const F& f) {
  const Tile& tile = team.tile;
  for (int i = 0; i < tile.tm(); ++i) {
    for (int j = 0; j < tile.tn(); ++j) {
      f(origin.row0 + team.ty * tile.tm() + i, origin.col0 + team.tx * tile.tn() + j, i, j);
    }
  }
}

/// Returns the team's product again for the store. The values are recomputed, so that they occupy no
/// registers during the product.
template <class Member, class Tile, class T>
KOKKOS_FUNCTION GemmArgs<T> product_again(const Team<Member, Tile>& team, const Products<T>& batch) {
  return product_of(team.again(batch), batch, detail::unforeseen(team.rank_in_league()));
}

/// C = alpha·acc + beta·C over the team's tile. @pre the tile lies inside C
template <class Member, class Tile, class T>
KOKKOS_FUNCTION void store_tile(const Team<Member, Tile>& team, const Products<T>& batch, Origin origin,
                                const Accumulator<T, Tile>& acc) {
  const GemmArgs<T> args = product_again(team, batch);
  for_each_element(team, origin, [&](Index row, Index col, int i, int j) {
    detail::update(args.C(row, col), args.alpha, acc.value[i][j], args.beta);
  });
}

/// C = alpha·acc + beta·C over the team's tile. Elements outside C are skipped.
template <class Member, class Tile, class T>
KOKKOS_FUNCTION void store_tile_checked(const Team<Member, Tile>& team, const Products<T>& batch,
                                        Origin origin, const Accumulator<T, Tile>& acc) {
  const GemmArgs<T> args = product_again(team, batch);
  const MatrixRef<T> C = args.C;
  for_each_element(team, origin, [&](Index row, Index col, int i, int j) {
    if (row < C.rows && col < C.cols) detail::update(C(row, col), args.alpha, acc.value[i][j], args.beta);
  });
}

/// A tile of C whose values go through an epilogue before they are stored.
template <class Tile, class Epilogue_>
struct FusedTile : Tile {
  using Epilogue = Epilogue_;

  Epilogue epilogue;
};

/// Returns the epilogue of an entry's tile. @param entry  counted from the first entry of the launch
template <class Tile>
KOKKOS_FUNCTION auto epilogue_of([[maybe_unused]] const Tile& tile, [[maybe_unused]] unsigned entry) {
  if constexpr (requires { typename Tile::Epilogue; }) {
    return tile.epilogue.of_entry(entry);
  } else {
    return detail::Unchanged{};
  }
}

/// C = alpha·acc + beta·C for the team's tile. Elements outside C are skipped. The position of the tile is
/// recomputed, because the product needs the registers that would hold it.
template <class Member, class Tile, class T, class Accumulator>
KOKKOS_FORCEINLINE_FUNCTION void store_registers(const Team<Member, Tile>& team, const Products<T>& batch,
                                                 const Accumulator& acc) {
  const auto rank = detail::unforeseen(team.rank_in_league());
  const Team again = team.again(batch);
  const GemmArgs<T> args = product_of(again, batch, rank);
  const auto [row0, col0] = tile_origin(again, args.C, rank);
  acc.store(args.C, row0, col0, detail::unforeseen(team.rank()), args.alpha, args.beta,
            detail::reads_conjugates(args.A),
            epilogue_of(team.tile, Team<Member, Tile>::several_products ? rank / again.tiles : 0));
}

}  // namespace rooftile::portable
