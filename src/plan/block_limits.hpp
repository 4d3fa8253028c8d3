// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rooftile/tile.hpp"

/// Resources of a thread block: those that a tile needs, and those that a device offers.
namespace rooftile {

/// The width of the largest run-time tile: its 32² threads fill the largest thread block of current GPUs.
inline constexpr int max_run_time_tile = 32;

/// The resources that a device offers a thread block (team).
struct BlockLimits {
  int threads = 0;                     ///< largest number of threads
  std::size_t shared_bytes = 0;        ///< shared memory that every kernel can use
  std::size_t shared_bytes_optin = 0;  ///< shared memory that a kernel can request; 0: not more
};

/// Returns the bytes of the tiles of A (bm,bk) and B (bk,bn).
constexpr std::size_t tile_bytes(TileShape s, std::size_t element_size) {
  return element_size * (static_cast<std::size_t>(s.bm) * static_cast<std::size_t>(s.bk) +
                         static_cast<std::size_t>(s.bk) * static_cast<std::size_t>(s.bn));
}

/// Returns the elements of shared memory for one of several tiles of a thread block: panels of A and B, later
/// replaced by the sums. Each row is padded by one element.
constexpr int small_tile_elements(TileShape s) {
  const int panels = s.bm * (s.bk + 1) + s.bk * (s.bn + 1), sums = s.bm * (s.bn + 1);
  return panels > sums ? panels : sums;
}

/// Returns the widest square tile T×T whose T² threads and two tiles of shared memory fit a thread block, as
/// in textbooks. T is a power of two, so that rows are whole memory transactions, and at least 1.
constexpr TileShape widest_square_tile(BlockLimits limits, std::size_t element_size) {
  int width = max_run_time_tile;
  while (width > 1 && (width * width > limits.threads ||
                       tile_bytes(square_tile(width), element_size) > limits.shared_bytes)) {
    width /= 2;
  }
  return square_tile(width);
}

}  // namespace rooftile
