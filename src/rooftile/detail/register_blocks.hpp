// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "rooftile/detail/stream.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"

/// What a tile of the register-blocked rungs takes of a multiprocessor. Kernels and `choose` ask here.
namespace rooftile::detail {

constexpr bool blocked_for_registers(TileShape s) {
  return s.tm * s.tn > 1;
}

/// Whether a thread's part of C leaves half of the 255 registers for everything else.
constexpr bool fits_registers(TileShape s, std::size_t element_size) {
  return static_cast<std::size_t>(s.tm * s.tn) * element_size <= 512;
}

/// How many teams are to share a multiprocessor: its 65,536 registers are for 256 threads with the largest
/// part of C that fits, for 384 with half of it, for 512 with less. 0: as the compiler likes.
constexpr int teams_per_multiprocessor(TileShape s, std::size_t element_size) {
  if (!blocked_for_registers(s)) return 0;
  const std::size_t bytes = static_cast<std::size_t>(s.tm * s.tn) * element_size;
  const int threads = bytes > 256 ? 256 : bytes > 128 ? 384 : 512;
  return std::max(1, threads / s.threads());
}

/// Bytes of shared memory for one panel of A and one of B, with what keeps their lines apart in the banks.
/// Fragments come from panels whose lines run along k or along x, whichever is the longer.
constexpr std::size_t stage_bytes(const Rung& rung, TileShape s, std::size_t element_size) {
  const auto panel = [&](int bx) {
    const int by_x = s.bk * (bx + 4), by_k = bx * (s.bk + 4);
    return static_cast<std::size_t>(rung.fragments ? std::max(by_x, by_k) : by_x);
  };
  return element_size * (panel(s.bm) + panel(s.bn));
}

/// Shared memory that a team may have for its panels: natively its part of the 164 KiB that a multiprocessor
/// of compute capability 8.0 has, on the portable path what every GPU gives a team without being asked, less
/// what Kokkos aligns with.
constexpr std::size_t panel_memory(Path path, TileShape s, std::size_t element_size) {
  const auto teams = static_cast<std::size_t>(teams_per_multiprocessor(s, element_size));
  return path == Path::native ? (164 * 1024 - teams * 1024) / teams : 47 * 1024;
}

/// How many panels of each operand are in shared memory at a time; 0 where not even those that the rung
/// needs.
constexpr int stages(const Rung& rung, Path path, TileShape s, std::size_t element_size) {
  const auto fit = static_cast<int>(panel_memory(path, s, element_size) / stage_bytes(rung, s, element_size));
  return fit < rung.least_stages ? 0 : std::min(fit, rung.most_stages);
}

/// Bytes of shared memory that the kernel asks for.
constexpr std::size_t panel_bytes(const Rung& rung, Path path, TileShape s, std::size_t element_size) {
  return static_cast<std::size_t>(stages(rung, path, s, element_size)) * stage_bytes(rung, s, element_size);
}

/// Whether a kernel with this tile exists: tiles without panels always do.
constexpr bool is_built(const Rung& rung, Path path, TileShape s, std::size_t element_size) {
  return rung.most_stages == 0 ||
         (fits_registers(s, element_size) && stages(rung, path, s, element_size) > 0);
}

/// How long a step along K of `teams` tiles takes that share a multiprocessor, in cycles. A multiply-add is
/// one issue slot; a read of 16 bytes by a warp takes about five, one of a fragment's element four, between
/// the two and the twelve where nothing, or everything, hides behind it. Where a scheduler has one warp
/// only, waiting costs two fifths more, where its warps have few multiply-adds between their reads, a
/// quarter, and a team alone has nobody to work while it meets at its barrier. All measured on an H200.
inline double step_cycles(const Rung& rung, TileShape s, Index teams, std::size_t element_size) {
  const bool fragments = rung.fragments && element_size == sizeof(double);
  const double reads = (fragments ? 4 * (0.5 * s.tm + s.tn) : 5.0 * (s.tm + s.tn)) / 4;
  const Index warps = (teams * s.threads() + 127) / 128;  // of a scheduler
  const double waiting = warps < 2                  ? 1.4
                         : warps * s.tm * s.tn < 96 ? 1.25
                         : teams == 1 && !fragments ? 1.04
                                                    : 1;
  const double bytes = static_cast<double>(teams * (s.bm + s.bn)) * static_cast<double>(element_size);
  return waiting * static_cast<double>(warps) * (s.tm * s.tn + reads) + 0.003 * bytes;
}

/// Of C, of one product.
constexpr Index tile_count(TileShape s, const GemmShape& shape) {
  return (shape.m + s.bm - 1) / s.bm * ((shape.n + s.bn - 1) / s.bn);
}

/// How long a step along K of all tiles takes, in cycles of the busiest multiprocessor: as many tiles as it
/// gets, side by side as far as they fit.
inline double tile_cost(const Rung& rung, TileShape s, Index tiles, int sms, std::size_t element_size) {
  const Index each = (tiles + std::max(sms, 1) - 1) / std::max(sms, 1);
  const Index room = teams_per_multiprocessor(s, element_size), rest = each % room;
  return static_cast<double>(each / room) * step_cycles(rung, s, room, element_size) +
         (rest > 0 ? step_cycles(rung, s, rest, element_size) : 0);
}

/// Steps along K that a share of a tile is worth: those of fewer are lost in its start and its sum.
inline constexpr Index least_steps_of_share = 8;

/// How stream_k deals out `count` products: the tiles beyond whole rounds are shared among as many blocks as
/// run at a time, or so many that the shares are worth it.
inline Stream stream_of(TileShape s, const GemmShape& shape, int sms, std::size_t element_size,
                        Index count = 1) {
  const Index tiles = count * tile_count(s, shape), steps = std::max<Index>(1, (shape.k + s.bk - 1) / s.bk);
  const Index room = Index{std::max(sms, 1)} * teams_per_multiprocessor(s, element_size);
  const Index shared = tiles % room, shares = std::min(room, shared * steps / least_steps_of_share);
  if (shares <= shared) return {static_cast<unsigned>(tiles), 0, 0, steps};
  return {static_cast<unsigned>(tiles - shared), static_cast<unsigned>(shared), static_cast<unsigned>(shares),
          steps};
}

/// Cycles that `count` products take on the busiest multiprocessor; with stream_k those of its shares, and of
/// writing their sums, starting a second kernel and reading them, at about 700 bytes a cycle, measured, too.
inline double cycles(const Rung& rung, TileShape s, const GemmShape& shape, int sms, std::size_t element_size,
                     Index count = 1) {
  const auto k = static_cast<double>(shape.k);
  const auto cost = [&](Index tiles) { return tile_cost(rung, s, tiles, sms, element_size) * k; };
  if (rung.kernel != Kernel::stream_k) return cost(count * tile_count(s, shape));
  const Stream stream = stream_of(s, shape, sms, element_size, count);
  if (stream.shared == 0) return cost(stream.whole);
  const double length = static_cast<double>(stream.shared) / stream.shares;
  const double bytes = 2.0 * stream.sums() * s.bm * s.bn * static_cast<double>(element_size);
  return cost(stream.whole) + length * cost(stream.shares) + 12000 + bytes / 700;
}

}  // namespace rooftile::detail
