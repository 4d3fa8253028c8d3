// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace rooftile::model {

/// Threads, blocks, registers, bytes: wide enough that no product of two of them overflows.
using Count = std::int64_t;

/// A limit that a device does not have.
inline constexpr Count unlimited = std::numeric_limits<std::int32_t>::max();

/// In what portions the hardware hands its resources out. The defaults are the textbooks' view, in which a
/// block takes exactly what it asks for.
struct Granularity {
  Count thread_group = 1;           ///< threads that start and leave together: the hardware's warp
  Count register_unit = 1;          ///< registers are handed out in multiples of this to one thread group …
  bool registers_to_block = false;  ///< … or to a whole block with an even number of warps (NVIDIA 1.x)
  Count partitions = 1;             ///< register files of an SM; a warp's registers lie in one of them
  Count checked_partitions = 1;     ///< partitions that the launch check believes a block to be spread over
  Count shared_unit = 1;            ///< bytes
  Count shared_reserved = 0;        ///< bytes of every block that the driver keeps for itself
};

/// What one SM (AMD: compute unit) offers to the blocks that live on it together.
struct SmLimits {
  Count warp_size = 32;                    ///< threads
  Count threads = unlimited;               ///< of all blocks together
  Count blocks = unlimited;                ///< at a time
  Count block_threads = unlimited;         ///< the largest block
  Count registers = unlimited;             ///< of 32 bits
  Count block_registers = unlimited;       ///< of 32 bits, the most that one block gets
  Count thread_registers = unlimited;      ///< of 32 bits, the most that one thread gets
  Count shared = unlimited;                ///< bytes
  Count block_shared = unlimited;          ///< bytes, the most that one block may ask for by opting in
  Count block_shared_default = unlimited;  ///< bytes, the most that one block may ask for without opting in
  Count barriers = unlimited;              ///< of all blocks together
  bool lone_warp_takes_barrier = true;     ///< AMD: a block of one wave needs none
  std::span<const int> carveouts_kib{};  ///< sizes that shared memory can be split from L1 with; empty: fixed
  Granularity granularity{};             ///< in which registers and shared memory are given out
};

/// The same SM as textbooks see it: whole blocks, no allocation granularity, nothing reserved, no barriers.
constexpr SmLimits textbook(SmLimits limits) {
  limits.granularity = Granularity{};
  limits.barriers = unlimited;
  limits.carveouts_kib = {};
  return limits;
}

/// `a / b` rounded up. @pre a is not negative, b is positive
constexpr Count ceil_div(Count a, Count b) {
  return (a + b - 1) / b;
}

/// The smallest multiple of `unit` that is not below `a`.
constexpr Count round_up(Count a, Count unit) {
  return ceil_div(a, unit) * unit;
}

/// The part's share of all; 0 of nothing.
constexpr double ratio(Count part, Count all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace rooftile::model
