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

/// Resources of an SM that a tile of the register-blocked rungs needs. Kernels and the planner use them.
namespace rooftile::detail {

constexpr bool blocked_for_registers(TileShape s) {
  return s.tm * s.tn > 1;
}

/// Bytes of an accumulator: 16-bit elements are accumulated in fp32.
constexpr std::size_t accumulator_size(Type type) {
  return std::max<std::size_t>(size_of(type), 4);
}

/// Bytes of registers for a thread's accumulators.
constexpr std::size_t accumulator_bytes(TileShape s, Type type) {
  return static_cast<std::size_t>(s.tm * s.tn) * accumulator_size(type);
}

/// Returns the number of teams per SM, from the register file of 65,536: at least 256 threads with more than
/// 256 bytes of accumulators each, 384 with more than 128 bytes, else 512. In fp64, operands take as many
/// registers as accumulators; in cfp64, twice as many. 0: no limit for the compiler.
constexpr int teams_per_sm(TileShape s, Type type) {
  if (!blocked_for_registers(s)) return 0;
  const std::size_t bytes = accumulator_bytes(s, type) * (type == Type::fp64    ? 2
                                                          : type == Type::cfp64 ? 3
                                                                                : 1);
  const int threads = bytes > 256 ? 256 : bytes > 128 ? 384 : 512;
  return (threads + s.threads() - 1) / s.threads();
}

/// Whether a rung multiplies elements of a type with matrix instructions. fp32 has none of its own: a rung
/// uses them if it multiplies fp32 only as tf32.
constexpr bool has_fragments(const Rung& rung, Type type) {
  return rung.is_warp_mma() && (type != Type::fp32 || !rung.supports(ComputeMode::fp32, Path::native));
}

/// Whether a rung has a separate kernel for operands in whole vectors, which saves the registers for other
/// alignments. Complex numbers are always copied one by one.
constexpr bool has_vector_kernel(const Rung& rung, Type type) {
  return has_fragments(rung, type) && !rooftile::is_complex(type) && type != Type::int8;
}

/// Padding of a panel's lines, in elements. It moves lines to different banks, for threads that copy across
/// lines and for lanes that read a fragment.
constexpr int panel_pad(bool fragments, Type type, bool mn_major) {
  if (fragments && type == Type::cfp64) return mn_major ? 1 : 4;
  if (type == Type::cfp32) return fragments ? 4 : 2;
  if (type == Type::int8) return 16;
  return is_16_bit(type) || (type == Type::fp32 && fragments && mn_major) ? 8 : 4;
}

/// The number of lines along k that share one padding. Lanes read cfp64 from lines that are four apart
/// (`line_of_fragment`).
constexpr int lines_together(bool fragments, Type type) {
  return fragments && type == Type::cfp64 ? 4 : 1;
}

/// Bytes of shared memory for one panel of A (bk,bm) and one of B (bk,bn), for the larger of the two major
/// orders. Without asynchronous copies, fragments come from `CompactPanel`s.
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

/// Bytes of shared memory for a team's panels without asynchronous copies, as on AMD GPUs: 48 KiB, which
/// every GPU provides, minus Kokkos' memory for team reductions and alignment.
constexpr std::size_t panel_memory(TileShape s) {
  return 48 * 1024 - sizeof(double) * static_cast<std::size_t>(s.threads() + 2) - 2 * 16;
}

/// Returns the panels of each operand in shared memory (stages); 0 if the rung does not list the tile for the
/// type, or if the minimum number of panels does not fit.
/// @param asynchronous  copies are asynchronous. Without them, more stages do not hide latency: one panel is
/// written while another is multiplied. With fragments, the next panel waits in registers.
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

/// Bytes of a tile of sums that the blocks of a cluster read. Rows are padded by 64 bytes against bank
/// conflicts.
constexpr std::size_t cluster_sum_bytes(TileShape s, Type type) {
  return static_cast<std::size_t>(s.bm) * (static_cast<std::size_t>(s.bn) * accumulator_size(type) + 64);
}

/// Bytes of shared memory that a kernel requests, for any operands.
constexpr std::size_t panel_bytes(const Rung& rung, TileShape s, Type type, bool asynchronous = true) {
  const std::size_t panels = static_cast<std::size_t>(stages(rung, s, type, asynchronous)) *
                             stage_bytes(rung, s, type, asynchronous);
  return rung.split_k == SplitK::cluster && panels > 0 ? std::max(panels, cluster_sum_bytes(s, type))
                                                       : panels;
}

/// Bytes of shared memory of a thread block that computes several small tiles.
constexpr std::size_t small_tiles_bytes(const Rung& rung, TileShape s, Type type) {
  return static_cast<std::size_t>(rung.block_threads / s.threads() * small_tile_elements(s)) *
         accumulator_size(type);
}

/// Whether a path has a kernel with a tile. Tiles without panels always have one.
constexpr bool is_built(const Rung& rung, Path path, TileShape s, Type type) {
  if (rung.block_threads > 0) return small_tiles_bytes(rung, s, type) <= 48 * 1024;
  if (!rung.has_panels()) {
    return std::none_of(rung.tiles.begin(), rung.tiles.end(), [&](const KernelTile& tile) {
      return tile.shape == s && tile.modes[0].math != ComputeMode::automatic && tile.stages(type) == 0;
    });
  }
  if (stages(rung, s, type) == 0 || path == Path::native) return stages(rung, s, type) > 0;
  if (rung.is_warp_mma() && s.tn == 1) return false;  // AMD's fragments have 16 columns
  return stages(rung, s, type, false) > 0;
}

/// Whether a tile of a kernel for 8-bit floats adds the steps along K in fp32. Wider tiles leave no registers
/// for it.
constexpr bool promotes_steps(TileShape s) {
  return s.bn <= 128;
}

/// The number of tiles of C of one product.
constexpr Index tile_count(TileShape s, const GemmShape& shape) {
  return (shape.m + s.bm - 1) / s.bm * ((shape.n + s.bn - 1) / s.bn);
}

/// The minimum steps along K of a work unit. Shorter units do not amortize their start and partial sum.
inline constexpr Index min_steps_of_unit = 8;

/// Distributes `count` products by stream-K. Tiles of complete waves get one block each. Work units share the
/// remaining tiles: as many units as blocks run at a time, or fewer to keep the minimum length.
inline Stream stream_of(TileShape s, const GemmShape& shape, int sms, Type type, Index count = 1) {
  const Index tiles = count * tile_count(s, shape), steps = std::max<Index>(1, (shape.k + s.bk - 1) / s.bk);
  const Index room = Index{std::max(sms, 1)} * teams_per_sm(s, type);
  const Index shared = tiles % room, units = std::min(room, shared * steps / min_steps_of_unit);
  if (units <= shared) return {static_cast<unsigned>(tiles), 0, 0, steps};
  return {static_cast<unsigned>(tiles - shared), static_cast<unsigned>(shared), static_cast<unsigned>(units),
          steps};
}

}  // namespace rooftile::detail
