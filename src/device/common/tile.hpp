// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/block_limits.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/tile.hpp"

/// The tile types that kernels take.
namespace rooftile {

/// Returns the tile of a team of one thread, as on a CPU core.
constexpr TileShape one_thread(TileShape s) {
  return {s.bm, s.bn, s.bk, s.bm, s.bn};
}

/// A tile known at compile time, as a template argument of kernels.
/// @tparam teams  teams that share an SM; 0: the compiler's choice
template <TileShape S, int teams = 0>
struct Tile {
  static_assert(S.bm > 0 && S.bn > 0 && S.bk > 0 && S.tm > 0 && S.tn > 0, "tile extents are positive");
  static_assert(S.bm % S.tm == 0 && S.bn % S.tn == 0, "threads divide the tile evenly");

  /// @{
  /// See `TileShape`.
  ROOFTILE_FUNCTION static constexpr int bm() { return S.bm; }
  ROOFTILE_FUNCTION static constexpr int bn() { return S.bn; }
  ROOFTILE_FUNCTION static constexpr int bk() { return S.bk; }
  ROOFTILE_FUNCTION static constexpr int tm() { return S.tm; }
  ROOFTILE_FUNCTION static constexpr int tn() { return S.tn; }
  /// @}
  static constexpr TileShape shape = S;            ///< all extents
  static constexpr int max_tm = S.tm;              ///< the most rows of C that a thread owns
  static constexpr int max_tn = S.tn;              ///< the most columns of C that a thread owns
  static constexpr int constant_bk = S.bk;         ///< bk, if known at compile time; else 0
  static constexpr int max_threads = S.threads();  ///< threads of a team
  static constexpr int min_teams = teams;          ///< teams that share an SM; 0: the compiler's choice
  static constexpr bool loads_once =
      S == TileShape{S.bm, S.bm, S.bm};  ///< a thread loads one element of each tile
};

/// A square tile whose width is known at run time only, with one thread per element of C.
struct RunTimeTile {
  /// @{
  /// See `Tile`.
  static constexpr int max_tm = 1;
  static constexpr int max_tn = 1;
  static constexpr int constant_bk = 0;
  static constexpr int max_threads = max_run_time_tile * max_run_time_tile;
  static constexpr int min_teams = 2;  // without it, registers leave room for one team of 1,024 threads only
  static constexpr bool loads_once = true;
  /// @}

  int width;  ///< of the tiles of A, B and C

  /// @{
  /// See `Tile`.
  ROOFTILE_FUNCTION int bm() const { return width; }
  ROOFTILE_FUNCTION int bn() const { return width; }
  ROOFTILE_FUNCTION int bk() const { return width; }
  ROOFTILE_FUNCTION static constexpr int tm() { return 1; }
  ROOFTILE_FUNCTION static constexpr int tn() { return 1; }
  /// @}
};

/// The teams of a kernel of elements T that share an SM; 0: the compiler's choice. With elements of 16 bytes,
/// a team of the teaching rungs needs more than half of the SM's registers.
template <class T, class Tile>
inline constexpr int min_teams_of = Tile::max_tm == 1 && sizeof(T) == 16 ? 1 : Tile::min_teams;

/// Whether one launch with this tile may cover both dimensions of a batch. On the teaching rungs, where a
/// thread owns one element, the division that finds an entry needs registers, which would cost resident
/// blocks per SM.
template <class Tile>
inline constexpr bool knows_both_dimensions = Tile::max_tm != 1;

/// All of C in one block of threads.
struct WholeTile {
  /// @{
  /// See `Tile`.
  static constexpr int max_threads = max_run_time_tile * max_run_time_tile;
  static constexpr int min_teams = 0;
  static constexpr int max_tm = 1;
  /// @}

  int rows;  ///< of C
  int cols;  ///< of C

  /// @{
  /// See `Tile`.
  ROOFTILE_FUNCTION int bm() const { return rows; }
  ROOFTILE_FUNCTION int bn() const { return cols; }
  ROOFTILE_FUNCTION static constexpr int tm() { return 1; }
  ROOFTILE_FUNCTION static constexpr int tn() { return 1; }
  /// @}
};

/// RunTimeTile for a team of one thread, which owns the whole tile.
struct RunTimeTileOfOneThread {
  /// @{
  /// See `Tile`.
  static constexpr int max_tm = max_run_time_tile;
  static constexpr int max_tn = max_run_time_tile;
  static constexpr int constant_bk = 0;
  static constexpr int max_threads = 1;
  static constexpr int min_teams = 0;
  static constexpr bool loads_once = false;
  /// @}

  int width;  ///< of the tiles of A, B and C

  /// @{
  /// See `Tile`.
  ROOFTILE_FUNCTION int bm() const { return width; }
  ROOFTILE_FUNCTION int bn() const { return width; }
  ROOFTILE_FUNCTION int bk() const { return width; }
  ROOFTILE_FUNCTION int tm() const { return width; }
  ROOFTILE_FUNCTION int tn() const { return width; }
  /// @}
};

}  // namespace rooftile
