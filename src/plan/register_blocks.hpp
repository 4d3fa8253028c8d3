// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "plan/block_limits.hpp"
#include "plan/stream.hpp"
#include "plan/vectors.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// What a tile of the register-blocked rungs takes of an SM. Kernels and `choose` ask here.
namespace rooftile::detail {

constexpr bool blocked_for_registers(TileShape s) {
  return s.tm * s.tn > 1;
}

/// Bytes of a sum: elements of 16 bits are summed in fp32.
constexpr std::size_t sum_size(Type type) {
  return std::max<std::size_t>(size_of(type), 4);
}

/// Bytes of registers that a thread's part of C takes.
constexpr std::size_t sum_bytes(TileShape s, Type type) {
  return static_cast<std::size_t>(s.tm * s.tn) * sum_size(type);
}

/// Whether a thread's part of C leaves half of the 255 registers for everything else.
constexpr bool fits_registers(TileShape s, Type type) {
  return sum_bytes(s, type) <= 512;
}

/// How many teams share an SM, whose 65,536 registers are for 256 threads with the largest part of C, 384
/// with half, or 512; in fp64 operands take as many as sums, of complex numbers twice. 0: any.
constexpr int teams_per_sm(TileShape s, Type type) {
  if (!blocked_for_registers(s)) return 0;
  const std::size_t bytes = sum_bytes(s, type) * (type == Type::fp64 ? 2 : type == Type::cfp64 ? 3 : 1);
  const int threads = bytes > 256 ? 256 : bytes > 128 ? 384 : 512;
  return (threads + s.threads() - 1) / s.threads();
}

/// Whether it is matrix instructions that multiply elements of a size: of fp32, which has none of its own,
/// where a rung multiplies the tf32 in it.
constexpr bool has_fragments(const Rung& rung, Type type) {
  return rung.fragments && (type != Type::fp32 || !rung.supports(Math::fp32, Path::native));
}

/// Whether operands whose lines are whole vectors have a kernel of their own, which keeps nothing in
/// registers that other lines need. Complex numbers are copied one by one in any case.
constexpr bool has_vector_kernel(const Rung& rung, Type type) {
  return has_fragments(rung, type) && !rooftile::is_complex(type);
}

/// Elements by which the lines of a panel are longer than what they hold, so that threads that copy across
/// them, and lanes that read a fragment, use different banks: 32 bytes for single elements, else 16.
constexpr int panel_pad(bool fragments, Type type, bool mn_major) {
  if (fragments && type == Type::cfp64) return mn_major ? 1 : 4;
  if (type == Type::cfp32) return fragments ? 4 : 2;
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
  if (rung.fragments && !asynchronous)
    return size_of(type) * static_cast<std::size_t>(s.bk * (s.bm + s.bn) / 8 * 9);
  const bool fragments = has_fragments(rung, type);
  const auto elements = [&](int bx) {
    const int by_x = s.bk * (bx + panel_pad(fragments, type, true));
    if (!rung.fragments) return by_x;
    const int lines = lines_together(fragments, type);
    return std::max(by_x, bx * s.bk + bx / lines * panel_pad(fragments, type, false));
  };
  return size_of(type) * static_cast<std::size_t>(elements(s.bm) + elements(s.bn));
}

/// Shared memory for a team's panels: its part of the 164 KiB of an SM of compute capability 8.0; where
/// copies do not run by themselves, 48 KiB less what Kokkos keeps for a team's sums and aligns with.
constexpr std::size_t panel_memory(TileShape s, Type type, bool asynchronous = true) {
  const auto teams = static_cast<std::size_t>(teams_per_sm(s, type));
  return asynchronous ? (164 * 1024 - teams * 1024) / teams
                      : 48 * 1024 - sizeof(double) * static_cast<std::size_t>(s.threads() + 2) - 2 * 16;
}

/// How many panels of each operand are in shared memory at a time; 0 where too few fit. Where copies do not
/// run by themselves, no panel is earlier there for more room than the rung needs.
constexpr int stages(const Rung& rung, TileShape s, Type type, bool asynchronous = true) {
  const auto fit =
      static_cast<int>(panel_memory(s, type, asynchronous) / stage_bytes(rung, s, type, asynchronous));
  if (!asynchronous && rung.fragments) return std::min(fit, 1);
  if (!asynchronous && fit >= rung.min_stages) return rung.min_stages;
  return fit < rung.min_stages ? 0 : std::min(fit, rung.max_stages);
}

/// Bytes of a tile of sums that the blocks of a cluster read: rows begin 64 bytes apart in their banks.
constexpr std::size_t cluster_sum_bytes(TileShape s, Type type) {
  return static_cast<std::size_t>(s.bm) * (static_cast<std::size_t>(s.bn) * sum_size(type) + 64);
}

/// Bytes of shared memory that the kernel asks for, whatever the operands.
constexpr std::size_t panel_bytes(const Rung& rung, TileShape s, Type type, bool asynchronous = true) {
  const std::size_t panels = static_cast<std::size_t>(stages(rung, s, type, asynchronous)) *
                             stage_bytes(rung, s, type, asynchronous);
  return rung.clusters && panels > 0 ? std::max(panels, cluster_sum_bytes(s, type)) : panels;
}

/// Whether a panel has two steps along k of the matrix instructions, and a thread registers for two sets of
/// fragments beside its sums. A step is 32 bytes, and twice as long in fp64 and for complex numbers.
constexpr bool fits_fragments(TileShape s, Type type) {
  const int sums = s.tm * s.tn;
  const bool large = s.threads() > 128;
  switch (type) {
    case Type::fp64:
      return s.bk == 16 && sums > 4 && sums <= (large ? 32 : 16);
    case Type::cfp64:
      return s.bk == 16 && sums <= 16;
    case Type::cfp32:
      return s.bk == 16 && sums >= 16 && large == (sums > 32);
    default:
      return static_cast<std::size_t>(s.bk) * size_of(type) == 64 && sums >= (large ? 128 : 16);
  }
}

/// Whether such a panel is for elements that no matrix instructions multiply. Complex numbers have eight
/// steps along k: with 16 a loop's instructions are more than an SM keeps at hand. Real ones need
/// many sums for 8.
constexpr bool fits_panel(const Rung& rung, TileShape s, Type type) {
  const int sums = s.tm * s.tn;
  if (type == Type::cfp64) return s.bk == 8 && sums <= 32;
  if (type == Type::cfp32) return s.bk == 8 && (sums == 64 || s.threads() <= 128);
  return s.bk != 8 || (rung.max_stages == 1 ? sums > 32 : sums > 64);
}

/// Bytes of shared memory of a block that computes several tiles.
constexpr std::size_t small_tiles_bytes(const Rung& rung, TileShape s, Type type) {
  return static_cast<std::size_t>(rung.block_threads / s.threads() * small_tile_elements(s)) * sum_size(type);
}

/// Whether a thread has registers for its part of a tile of panels.
constexpr bool fits_threads(const Rung& rung, TileShape s, Type type) {
  if (!fits_registers(s, type)) return false;
  // A team of 128 threads has no registers for the state that stream-K keeps from part to part.
  if (rung.fragments && rung.shares_tiles && type == Type::cfp64 && s.threads() <= 128) return false;
  if (rung.fragments) return !has_fragments(rung, type) || fits_fragments(s, type);
  return fits_panel(rung, s, type);
}

/// Whether a kernel with this tile exists: tiles without panels always do. Of those of a rung that differ in
/// nothing but their threads' parts, it is the first that fits the registers.
constexpr bool is_built(const Rung& rung, Path path, TileShape s, Type type) {
  if (rung.block_threads > 0) return small_tiles_bytes(rung, s, type) <= 48 * 1024;
  if (rung.max_stages == 0) return true;
  if (!fits_threads(rung, s, type)) return false;
  if (path == Path::portable) {
    if (rung.fragments && s.tn == 1) return false;  // AMD's fragments have 16 columns
    if (stages(rung, s, type, false) == 0) return false;
  }
  for (const TileShape& other : rung.tiles) {
    if (other.bm == s.bm && other.bn == s.bn && other.bk == s.bk && fits_threads(rung, other, type))
      return other == s && stages(rung, s, type) > 0;
  }
  return false;
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
