// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/block_limits.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/tile.hpp"

/// Tiles as kernels get them.
namespace rooftile {

/// The tile that a team of one thread computes: what a CPU core does.
constexpr TileShape one_thread(TileShape s) {
  return {s.bm, s.bn, s.bk, s.bm, s.bn};
}

/// A tile known at compile time: what kernels are instantiated with.
/// @tparam teams  that are to share an SM; 0: the compiler's choice
template <TileShape S, int teams = 0>
struct Tile {
  static_assert(S.bm > 0 && S.bn > 0 && S.bk > 0 && S.tm > 0 && S.tn > 0, "tile extents are positive");
  static_assert(S.bm % S.tm == 0 && S.bn % S.tn == 0, "threads divide the tile evenly");

  /// @{
  /// As of `TileShape`.
  ROOFTILE_FUNCTION static constexpr int bm() { return S.bm; }
  ROOFTILE_FUNCTION static constexpr int bn() { return S.bn; }
  ROOFTILE_FUNCTION static constexpr int bk() { return S.bk; }
  ROOFTILE_FUNCTION static constexpr int tm() { return S.tm; }
  ROOFTILE_FUNCTION static constexpr int tn() { return S.tn; }
  /// @}
  static constexpr TileShape shape = S;            ///< all of them
  static constexpr int max_tm = S.tm;              ///< the most rows of C that a thread owns
  static constexpr int max_tn = S.tn;              ///< the most columns of C that it owns
  static constexpr int constant_bk = S.bk;         ///< bk, where the compiler knows it; else 0
  static constexpr int max_threads = S.threads();  ///< of a team
  static constexpr int min_teams = teams;          ///< that share an SM; 0: the compiler's choice
  static constexpr bool loads_once =
      S == TileShape{S.bm, S.bm, S.bm};  ///< a thread loads one element of each tile
};

/// A square tile of a width known at run time only, one thread per element of C.
struct RunTimeTile {
  /// @{
  /// As of `Tile`.
  static constexpr int max_tm = 1;
  static constexpr int max_tn = 1;
  static constexpr int constant_bk = 0;
  static constexpr int max_threads = max_run_time_tile * max_run_time_tile;
  static constexpr int min_teams = 2;  // without it, registers leave room for one team of 1,024 threads only
  static constexpr bool loads_once = true;
  /// @}

  int width;  ///< of the tiles of A, B and C

  /// @{
  /// As of `Tile`.
  ROOFTILE_FUNCTION int bm() const { return width; }
  ROOFTILE_FUNCTION int bn() const { return width; }
  ROOFTILE_FUNCTION int bk() const { return width; }
  ROOFTILE_FUNCTION static constexpr int tm() { return 1; }
  ROOFTILE_FUNCTION static constexpr int tn() { return 1; }
  /// @}
};

/// The teams of a kernel of elements T that are to share an SM; 0: the compiler's choice. Of elements of 16
/// bytes a team of teaching rungs needs more registers than two leave each other.
template <class T, class Tile>
inline constexpr int min_teams_of = Tile::max_tm == 1 && sizeof(T) == 16 ? 1 : Tile::min_teams;

/// Whether a launch with such tiles may be of both dimensions of a batch. Where a thread owns one element, on
/// the teaching rungs, the division that finds a product takes registers that fewer blocks an SM would pay
/// for.
template <class Tile>
inline constexpr bool knows_both_dimensions = Tile::max_tm != 1;

/// All of C in one block of threads.
struct WholeTile {
  /// @{
  /// As of `Tile`.
  static constexpr int max_threads = max_run_time_tile * max_run_time_tile;
  static constexpr int min_teams = 0;
  static constexpr int max_tm = 1;
  /// @}

  int rows;  ///< of C
  int cols;  ///< of C

  /// @{
  /// As of `Tile`.
  ROOFTILE_FUNCTION int bm() const { return rows; }
  ROOFTILE_FUNCTION int bn() const { return cols; }
  ROOFTILE_FUNCTION static constexpr int tm() { return 1; }
  ROOFTILE_FUNCTION static constexpr int tn() { return 1; }
  /// @}
};

/// RunTimeTile for a team of one thread, which owns the whole tile.
struct RunTimeTileOfOneThread {
  /// @{
  /// As of `Tile`.
  static constexpr int max_tm = max_run_time_tile;
  static constexpr int max_tn = max_run_time_tile;
  static constexpr int constant_bk = 0;
  static constexpr int max_threads = 1;
  static constexpr int min_teams = 0;
  static constexpr bool loads_once = false;
  /// @}

  int width;  ///< of the tiles of A, B and C

  /// @{
  /// As of `Tile`.
  ROOFTILE_FUNCTION int bm() const { return width; }
  ROOFTILE_FUNCTION int bn() const { return width; }
  ROOFTILE_FUNCTION int bk() const { return width; }
  ROOFTILE_FUNCTION int tm() const { return width; }
  ROOFTILE_FUNCTION int tn() const { return width; }
  /// @}
};

}  // namespace rooftile
