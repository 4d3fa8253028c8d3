// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "rooftile/detail/function.hpp"

namespace rooftile {

/// A team of threads computes (bm,bn) elements of C in steps of bk along K; each thread owns (tm,tn) of them.
/// `TileShape{}` means "the default".
struct TileShape {
  int bm = 0;  ///< rows of C that a team computes
  int bn = 0;  ///< columns of C that it computes
  int bk = 0;  ///< elements along K in a step
  int tm = 1;  ///< rows of C that a thread owns
  int tn = 1;  ///< columns of C that it owns

  /// Threads of a team. @pre it is not the default
  constexpr int threads() const { return (bm / tm) * (bn / tn); }
  /// Whether it is a tile, not the default.
  constexpr explicit operator bool() const { return *this != TileShape{}; }
  /// Member by member.
  friend constexpr bool operator==(const TileShape&, const TileShape&) = default;
};

/// T×T tiles, one thread per element of C.
constexpr TileShape square_tile(int width) {
  return {width, width, width};
}

/// One thread per element of C and no tile of A or B: bm rows by bn columns, the textbooks' CTA of
/// x = bn by y = bm threads.
constexpr TileShape cta(int bm, int bn) {
  return {bm, bn, 1};
}

/// The tile that a team of one thread computes: what a CPU core does.
constexpr TileShape one_thread(TileShape s) {
  return {s.bm, s.bn, s.bk, s.bm, s.bn};
}

/// `32x32x32`, or `8x32` where there is no step along K.
inline std::string to_string(TileShape s) {
  const std::string block = std::to_string(s.bm) + 'x' + std::to_string(s.bn);
  return s.bk == 1 ? block : block + 'x' + std::to_string(s.bk);
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

/// The widest tile of the rungs whose tile is chosen at run time: 32² threads fill the largest block of
/// today's GPUs.
inline constexpr int max_run_time_tile = 32;

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

/// What a device offers one block (team) of threads.
struct BlockLimits {
  int threads = 0;                     ///< at most
  std::size_t shared_bytes = 0;        ///< that every kernel can have
  std::size_t shared_bytes_optin = 0;  ///< that a kernel can ask for; 0: no more
};

/// Bytes that the tiles of A (bm,bk) and B (bk,bn) take.
constexpr std::size_t tile_bytes(TileShape s, std::size_t element_size) {
  return element_size * (static_cast<std::size_t>(s.bm) * static_cast<std::size_t>(s.bk) +
                         static_cast<std::size_t>(s.bk) * static_cast<std::size_t>(s.bn));
}

/// Elements of shared memory for one of several tiles of a thread block: panels of A and B, and then, in
/// their place, its sums, each row longer by one.
constexpr int small_tile_elements(TileShape s) {
  const int panels = s.bm * (s.bk + 1) + s.bk * (s.bn + 1), sums = s.bm * (s.bn + 1);
  return panels > sums ? panels : sums;
}

/// The textbooks' chooser for run-time shared memory: the widest square tile, a power of two so that its rows
/// are whole memory transactions, whose T² threads and two tiles fit one block. At least 1.
constexpr TileShape widest_square_tile(BlockLimits limits, std::size_t element_size) {
  int width = max_run_time_tile;
  while (width > 1 && (width * width > limits.threads ||
                       tile_bytes(square_tile(width), element_size) > limits.shared_bytes)) {
    width /= 2;
  }
  return square_tile(width);
}

}  // namespace rooftile
