// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rooftile/tile.hpp"

/// The resources of a thread block that a tile needs, and those that a device offers.
namespace rooftile {

/// The widest tile of the rungs whose tile is chosen at run time: 32² threads fill the largest block of
/// today's GPUs.
inline constexpr int max_run_time_tile = 32;

/// The resources that a device offers one block (team) of threads.
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
