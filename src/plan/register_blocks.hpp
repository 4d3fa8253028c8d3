// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "plan/block_limits.hpp"
#include "plan/operand_alignment.hpp"
#include "plan/stream.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// What a tile of the register-blocked rungs takes of an SM. Kernels and `choose` ask here.
namespace rooftile::detail {

constexpr bool blocked_for_registers(TileShape s) {
  return s.tm * s.tn > 1;
}

/// Bytes of a sum: elements of 16 bits are summed in fp32.
constexpr std::size_t accumulator_size(Type type) {
  return std::max<std::size_t>(size_of(type), 4);
}

/// Bytes of registers that a thread's part of C takes.
constexpr std::size_t accumulator_bytes(TileShape s, Type type) {
  return static_cast<std::size_t>(s.tm * s.tn) * accumulator_size(type);
}

/// How many teams share an SM, whose 65,536 registers are for at least 256 threads with the largest part of C
/// that fits, for 384 with half of it, and for 512 with less. In fp64 what a thread multiplies takes as many
/// registers as its sums, and of complex numbers twice as many. 0: as the compiler likes.
constexpr int teams_per_sm(TileShape s, Type type) {
  if (!blocked_for_registers(s)) return 0;
  const std::size_t bytes = accumulator_bytes(s, type) * (type == Type::fp64    ? 2
                                                          : type == Type::cfp64 ? 3
                                                                                : 1);
  const int threads = bytes > 256 ? 256 : bytes > 128 ? 384 : 512;
  return (threads + s.threads() - 1) / s.threads();
}

/// Whether it is matrix instructions that multiply elements of a size: of fp32, which has none of its own,
/// where a rung multiplies the tf32 in it.
constexpr bool has_fragments(const Rung& rung, Type type) {
  return rung.is_warp_mma() && (type != Type::fp32 || !rung.supports(ComputeMode::fp32, Path::native));
}

/// Whether operands whose lines are whole vectors have a kernel of their own, which keeps nothing in
/// registers that other lines need. Complex numbers are copied one by one in any case.
constexpr bool has_vector_kernel(const Rung& rung, Type type) {
  return has_fragments(rung, type) && !rooftile::is_complex(type) && type != Type::int8;
}

/// Elements by which the lines of a panel are longer than what they hold, so that threads that copy across
/// them, and lanes that read a fragment, use different banks: 32 bytes for single elements, else 16.
constexpr int panel_pad(bool fragments, Type type, bool mn_major) {
  if (fragments && type == Type::cfp64) return mn_major ? 1 : 4;
  if (type == Type::cfp32) return fragments ? 4 : 2;
  if (type == Type::int8) return 16;
  return is_16_bit(type) || (type == Type::fp32 && fragments && mn_major) ? 8 : 4;
}

/// Lines along k behind which that is left free, once. Lanes read complex numbers in fp64 from lines that are
/// four apart (`line_of_fragment`).
constexpr int lines_together(bool fragments, Type type) {
  return fragments && type == Type::cfp64 ? 4 : 1;
}

/// Bytes of shared memory for one panel of A and one of B, with room for the longer of lines along k and x;
/// where copies do not run by themselves, fragments come from `CompactPanel`s.
constexpr std::size_t stage_bytes(const Rung& rung, TileShape s, Type type, bool asynchronous = true) {
  if (rung.is_warp_mma() && !asynchronous)
    return size_of(type) * static_cast<std::size_t>(s.bk * (s.bm + s.bn) / 8 * 9);
  const bool fragments = has_fragments(rung, type);
  const auto elements = [&](int bx) {
    const int by_x = s.bk * (bx + panel_pad(fragments, type, true));
    if (!rung.is_warp_mma()) return by_x;
    const int lines = lines_together(fragments, type);
    return std::max(by_x, bx * s.bk + bx / lines * panel_pad(fragments, type, false));
  };
  return size_of(type) * static_cast<std::size_t>(elements(s.bm) + elements(s.bn));
}

/// Shared memory for a team's panels where copies are not asynchronous, as on AMD GPUs: the 48 KiB that every
/// GPU gives a team, less what Kokkos keeps for a team's reductions and for alignment.
constexpr std::size_t panel_memory(TileShape s) {
  return 48 * 1024 - sizeof(double) * static_cast<std::size_t>(s.threads() + 2) - 2 * 16;
}

/// How many panels of each operand are in shared memory at a time; 0 where the rung does not list the tile
/// for the type, or where not even the panels that the rung needs have room.
/// @param asynchronous  whether copies run by themselves. Where they do not, a panel is no earlier there for
/// more room: one is written while another is multiplied; or, of fragments, waits in registers meanwhile.
constexpr int stages(const Rung& rung, TileShape s, Type type, bool asynchronous = true) {
  int number = 0;
  for (const KernelTile& tile : rung.tiles) number = tile.shape == s ? tile.stages(type) : number;
  for (const GroupTiles& tiles : rung.groups) {
    if (number == 0 && tiles.type == type && tiles.large == s) number = tiles.stages;
  }
  if (number == 0 || asynchronous) return number;
  const int wanted = rung.is_warp_mma() ? 1 : rung.min_stages;
  return panel_memory(s) / stage_bytes(rung, s, type, false) < static_cast<std::size_t>(wanted) ? 0 : wanted;
}

/// Bytes of a tile of sums that the blocks of a cluster read: rows begin 64 bytes apart in their banks.
constexpr std::size_t cluster_sum_bytes(TileShape s, Type type) {
  return static_cast<std::size_t>(s.bm) * (static_cast<std::size_t>(s.bn) * accumulator_size(type) + 64);
}

/// Bytes of shared memory that the kernel asks for, whatever the operands.
constexpr std::size_t panel_bytes(const Rung& rung, TileShape s, Type type, bool asynchronous = true) {
  const std::size_t panels = static_cast<std::size_t>(stages(rung, s, type, asynchronous)) *
                             stage_bytes(rung, s, type, asynchronous);
  return rung.split_k == SplitK::cluster && panels > 0 ? std::max(panels, cluster_sum_bytes(s, type))
                                                       : panels;
}

/// Bytes of shared memory of a block that computes several tiles.
constexpr std::size_t small_tiles_bytes(const Rung& rung, TileShape s, Type type) {
  return static_cast<std::size_t>(rung.block_threads / s.threads() * small_tile_elements(s)) *
         accumulator_size(type);
}

/// Whether a path has a kernel with this tile: tiles without panels always have one.
constexpr bool is_built(const Rung& rung, Path path, TileShape s, Type type) {
  if (rung.block_threads > 0) return small_tiles_bytes(rung, s, type) <= 48 * 1024;
  if (!rung.has_panels()) return true;
  if (stages(rung, s, type) == 0 || path == Path::native) return stages(rung, s, type) > 0;
  if (rung.is_warp_mma() && s.tn == 1) return false;  // AMD's fragments have 16 columns
  return stages(rung, s, type, false) > 0;
}

/// Of C, of one product.
constexpr Index tile_count(TileShape s, const GemmShape& shape) {
  return (shape.m + s.bm - 1) / s.bm * ((shape.n + s.bn - 1) / s.bn);
}

/// Steps along K that a work unit is worth: those of fewer are lost in its start and its sum.
inline constexpr Index min_steps_of_unit = 8;

/// How stream-K deals out `count` products: the tiles beyond whole rounds are shared among as many blocks as
/// run at a time, or so many that the work units are worth it.
inline Stream stream_of(TileShape s, const GemmShape& shape, int sms, Type type, Index count = 1) {
  const Index tiles = count * tile_count(s, shape), steps = std::max<Index>(1, (shape.k + s.bk - 1) / s.bk);
  const Index room = Index{std::max(sms, 1)} * teams_per_sm(s, type);
  const Index shared = tiles % room, units = std::min(room, shared * steps / min_steps_of_unit);
  if (units <= shared) return {static_cast<unsigned>(tiles), 0, 0, steps};
  return {static_cast<unsigned>(tiles - shared), static_cast<unsigned>(shared), static_cast<unsigned>(units),
          steps};
}

}  // namespace rooftile::detail
