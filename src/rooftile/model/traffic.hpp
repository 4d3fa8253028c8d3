// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

namespace rooftile::model {

/// What a kernel moves to compute C (m,n) += A (m,k) · B (k,n), by formula. Doubles: the counts exceed 64
/// bits.
struct Traffic {
  double flops = 0;
  Count phases = 1;            ///< steps along K, each with a tile of A and one of B
  double a_loads = 0;          ///< times that each element of A is loaded from global memory
  double b_loads = 0;          ///< the same for B
  double requests = 0;         ///< values of A and B that threads load from global memory
  double requested_bytes = 0;  ///< the same in bytes
  double global_bytes = 0;     ///< requests and the store of C: what passes L2 where L1 keeps nothing
  double shared_bytes = 0;     ///< written to and read from shared memory
  double dram_bytes = 0;  ///< each operand once: the least that memory can deliver, met if L2 keeps the rest

  /// FLOP per byte that threads ask global memory for: the textbooks' intensity.
  constexpr double request_intensity() const { return flops / requested_bytes; }
  constexpr double global_intensity() const { return flops / global_bytes; }
  constexpr double dram_intensity() const { return flops / dram_bytes; }
  /// 0 where the kernel does not use shared memory.
  constexpr double shared_intensity() const { return shared_bytes > 0 ? flops / shared_bytes : 0; }
};

/// Traffic of a kernel whose blocks compute (bm,bn) of C from tiles (bm,bk) and (bk,bn) in shared memory,
/// each thread (tm,tn) of them from registers; `bk == 1` means no shared memory, as in the naive kernel.
///
/// An element of A is loaded once for each block column, an element of B once for each block row (Kirk & Hwu,
/// "Tiling for reduced memory traffic"); without shared memory the thread's tile takes the block's place.
/// Elements outside a matrix are not loaded. From shared memory a thread reads tm + tn values for tm·tn
/// multiply-adds.
/// @throws Error for an empty product or tile
constexpr Traffic traffic(const GemmShape& shape, const TileShape& tile, std::size_t element_size) {
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) {
    throw Error(rooftile::detail::text("empty product (", shape.m, 'x', shape.n, 'x', shape.k,
                                       "): give positive extents"));
  }
  if (tile.bm < 1 || tile.bn < 1 || tile.bk < 1 || tile.tm < 1 || tile.tn < 1 || element_size < 1) {
    throw Error(rooftile::detail::text("empty tile (", tile.bm, 'x', tile.bn, 'x', tile.bk, ", ", tile.tm,
                                       'x', tile.tn, " per thread, ", element_size,
                                       " bytes per value): give positive extents"));
  }
  const bool shared = tile.bk > 1;
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  const auto size = static_cast<double>(element_size);
  Traffic t;
  t.flops = shape.flops();
  t.phases = shared ? detail::ceil_div(shape.k, tile.bk) : 1;
  t.a_loads = static_cast<double>(detail::ceil_div(shape.n, shared ? tile.bn : tile.tn));
  t.b_loads = static_cast<double>(detail::ceil_div(shape.m, shared ? tile.bm : tile.tm));
  t.requests = m * k * t.a_loads + k * n * t.b_loads;
  t.requested_bytes = size * t.requests;
  t.global_bytes = t.requested_bytes + size * m * n;
  if (shared) t.shared_bytes = t.requested_bytes + size * m * n * k * (1.0 / tile.tm + 1.0 / tile.tn);
  t.dram_bytes = shape.bytes(element_size);
  return t;
}

}  // namespace rooftile::model
