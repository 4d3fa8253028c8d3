// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

namespace rooftile::model {

/// The traffic of a kernel that computes C (m,n) = A (m,k) · B (k,n), at each level of the memory hierarchy.
/// The numbers are doubles, because they can exceed 64 bits.
struct Traffic {
  double flops = 0;               ///< multiplications and additions
  Count phases = 1;               ///< steps along K, each with a tile of A and B; 1 without tiles
  double a_loads = 0;             ///< loads of each element of A from global memory
  double b_loads = 0;             ///< loads of each element of B from global memory
  double requests = 0;            ///< values of A and B that threads load from global memory
  double requested_bytes = 0;     ///< bytes of these values
  double stored_bytes = 0;        ///< bytes of C
  double l1_bytes = 0;            ///< shared memory or L1; lanes of a warp that read one element count once
  double l2_bytes = 0;            ///< each block loads each element once (shared memory or L1 keeps it)
  double dram_bytes = 0;          ///< each operand once, as with a large enough L2
  double dram_bytes_by_rows = 0;  ///< L2 holds a block row's part of A, not B: B once per block row

  /// Returns FLOP per byte that threads request from global memory: the textbooks' intensity.
  constexpr double request_intensity() const { return flops / requested_bytes; }
  /// @{
  /// Returns FLOP per byte that moves at a level.
  constexpr double l1_intensity() const { return flops / l1_bytes; }
  constexpr double l2_intensity() const { return flops / l2_bytes; }
  constexpr double dram_intensity() const { return flops / dram_bytes; }
  constexpr double dram_intensity_by_rows() const { return flops / dram_bytes_by_rows; }
  /// @}
};

namespace detail {

constexpr void require_product_and_tile(const GemmShape& shape, const TileShape& tile,
                                        std::size_t element_size, Count warp) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) {
    throw Error(rooftile::detail::text("empty product (", shape.m, 'x', shape.n, 'x', shape.k,
                                       "): give positive extents"));
  }
  if (tile.bm < 1 || tile.bn < 1 || tile.bk < 1 || tile.tm < 1 || tile.tn < 1 || element_size < 1 ||
      warp < 1) {
    throw Error(rooftile::detail::text("empty tile (", tile.bm, 'x', tile.bn, 'x', tile.bk, ", ", tile.tm,
                                       'x', tile.tn, " per thread, ", element_size,
                                       " bytes per value, warps of ", warp, "): give positive extents"));
  }
}

}  // namespace detail

/// Returns the traffic of a kernel whose blocks compute (bm,bn) of C from tiles (bm,bk) and (bk,bn) in shared
/// memory. Each thread computes (tm,tn) elements in registers. `bk == 1` stands for no shared memory, as in
/// the naive kernel.
///
/// A block loads its rows of A and columns of B. A is thus loaded once for each column of blocks, and B once
/// for each row (Kirk & Hwu, "Tiling for reduced memory traffic"). Without shared memory, each thread loads
/// for its own (tm,tn). Elements outside a matrix are not loaded. At each multiply-add, a warp reads the rows
/// and columns of its threads. Threads with one element are numbered along the rows of C, those with several
/// are four deep, as in `detail::Place` and `detail::MmaPlace`.
/// @throws Error  for an empty product, tile or warp
constexpr Traffic traffic(const GemmShape& shape, const TileShape& tile, std::size_t element_size,
                          Count warp = 32) {
  detail::require_product_and_tile(shape, tile, element_size, warp);
  const bool shared = tile.bk > 1;
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  const auto size = static_cast<double>(element_size);
  const auto blocks_along = [](Index extent, int width) {
    return static_cast<double>(ceil_div(extent, width));
  };
  const double block_cols = blocks_along(shape.n, tile.bn), block_rows = blocks_along(shape.m, tile.bm);
  const double by_blocks = m * k * block_cols + k * n * block_rows;

  Traffic t;
  t.flops = shape.flops();
  t.phases = shared ? ceil_div(shape.k, tile.bk) : 1;
  t.a_loads = shared ? block_cols : blocks_along(shape.n, tile.tn);
  t.b_loads = shared ? block_rows : blocks_along(shape.m, tile.tm);
  t.requests = m * k * t.a_loads + k * n * t.b_loads;
  t.requested_bytes = size * t.requests;
  t.stored_bytes = size * m * n;

  const Count warp_lanes = tile.tm * tile.tn > 1 ? std::max<Count>(1, warp / 4) : warp;  // along a row
  const Count warp_cols = std::min<Count>(tile.bn, warp_lanes * tile.tn);
  const Count warp_rows = std::max<Count>(1, warp * tile.tm * tile.tn / warp_cols);
  const double warp_reads =
      m * n * k * (1 / static_cast<double>(warp_cols) + 1 / static_cast<double>(warp_rows));
  t.l1_bytes = size * (warp_reads + (shared ? t.requests : 0));
  t.l2_bytes = size * by_blocks + t.stored_bytes;
  t.dram_bytes = shape.bytes(element_size);
  t.dram_bytes_by_rows = size * (m * k + k * n * block_rows) + t.stored_bytes;
  return t;
}

}  // namespace rooftile::model
