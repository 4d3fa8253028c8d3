// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace rooftile::model {

/// Counts of threads, blocks, registers and bytes. The product of two such counts does not overflow.
using Count = std::int64_t;

/// The value of a limit that a device does not have.
inline constexpr Count unlimited = std::numeric_limits<std::int32_t>::max();

/// The units in which the hardware allocates its resources. The defaults are the textbooks' view: a block
/// gets exactly what it requests.
struct Granularity {
  Count thread_group = 1;           ///< threads that start and end together: the hardware's warp
  Count register_unit = 1;          ///< allocation unit of registers, for one thread group …
  bool registers_to_block = false;  ///< … or for a whole block with an even number of warps (NVIDIA 1.x)
  Count partitions = 1;             ///< register files of an SM; each warp uses one
  Count checked_partitions = 1;     ///< partitions that the launch check assumes for a block
  Count shared_unit = 1;            ///< bytes
  Count shared_reserved = 0;        ///< bytes of each block that the driver reserves
};

/// The resources of one SM (AMD: compute unit) for its resident blocks.
struct SmLimits {
  Count warp_size = 32;                    ///< threads
  Count threads = unlimited;               ///< of all resident blocks
  Count blocks = unlimited;                ///< resident at a time
  Count block_threads = unlimited;         ///< maximum of a block
  Count registers = unlimited;             ///< of 32 bits
  Count block_registers = unlimited;       ///< of 32 bits, maximum of a block
  Count thread_registers = unlimited;      ///< of 32 bits, maximum of a thread
  Count shared = unlimited;                ///< bytes
  Count block_shared = unlimited;          ///< bytes, maximum of a block that opts in
  Count block_shared_default = unlimited;  ///< bytes, maximum of a block that does not opt in
  Count barriers = unlimited;              ///< of all resident blocks
  bool lone_warp_takes_barrier = true;     ///< false on AMD: a block of one wave needs none
  std::span<const int> carveouts_kib{};    ///< sizes of shared memory in its split with L1; empty: fixed
  Granularity granularity{};               ///< allocation units of registers and shared memory
};

/// Returns the textbooks' view of an SM: no allocation units, reserved memory, barriers or carve-outs.
constexpr SmLimits textbook(SmLimits limits) {
  limits.granularity = Granularity{};
  limits.barriers = unlimited;
  limits.carveouts_kib = {};
  return limits;
}

/// Returns `a / b`, rounded up. @pre a is not negative, b is positive
constexpr Count ceil_div(Count a, Count b) {
  return (a + b - 1) / b;
}

/// Returns the smallest multiple of `unit` that is at least `a`.
constexpr Count round_up(Count a, Count unit) {
  return ceil_div(a, unit) * unit;
}

/// Returns `part / all`; 0 if `all` is 0.
constexpr double ratio(Count part, Count all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace rooftile::model
