// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "rooftile/model/occupancy.hpp"

namespace rooftile::model {

namespace detail {

/// The largest x from 0 to `max` for which `holds(x)`, a predicate that stays false once it is false.
template <class Predicate>
constexpr std::optional<Count> largest(Count max, Predicate holds) {
  if (!holds(0)) return std::nullopt;
  Count low = 0;
  for (Count high = max + 1; high - low > 1;) {
    const Count middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace detail

/// Returns the most registers per thread with which `blocks` blocks share an SM; none if 0 are too many.
/// Without a limit per thread, the registers of a whole SM.
constexpr std::optional<Count> max_registers(const SmLimits& limits, Launch launch, Count blocks) {
  const Count max_count = std::min(limits.thread_registers, limits.registers);
  return detail::largest(max_count, [&](Count registers) {
    launch.registers = registers;
    return occupancy(limits, launch).blocks >= blocks;
  });
}

/// Returns the most bytes of shared memory per block with which `blocks` blocks share an SM; none if 0 are
/// too many.
constexpr std::optional<Count> max_shared(const SmLimits& limits, Launch launch, Count blocks) {
  return detail::largest(std::min(limits.block_shared, limits.shared), [&](Count bytes) {
    launch.shared = bytes;
    return occupancy(limits, launch).blocks >= blocks;
  });
}

/// Resources of one thread on a full SM, as whole numbers: the textbooks' `SM's capacity / SM's threads`.
struct ThreadBudget {
  Count registers = 0;     ///< of 32 bits
  Count shared_bytes = 0;  ///< bytes
};
/// Returns the budget of a device. @pre no limit is 0
constexpr ThreadBudget full_occupancy_budget(const SmLimits& limits) {
  return {limits.registers / limits.threads, limits.shared / limits.threads};
}

/// A launch that occupies an SM better than the original one.
struct Step {
  Launch launch;      ///< the new launch
  Occupancy reached;  ///< its occupancy
};

namespace detail {

/// The fewest changes: registers alone, shared memory alone, else both.
constexpr std::optional<Step> step_by_resources(const SmLimits& limits, const Launch& launch, Count blocks) {
  const auto registers = max_registers(limits, launch, blocks);
  const auto shared = max_shared(limits, launch, blocks);
  Launch changed = launch;
  if (registers) {
    changed.registers = std::min(launch.registers, *registers);
  } else if (shared) {
    changed.shared = std::min(launch.shared, *shared);
  } else {
    Launch bare = launch;
    bare.shared = 0;
    const auto fewer = max_registers(limits, bare, blocks);
    if (!fewer) return std::nullopt;
    changed.registers = std::min(launch.registers, *fewer);
    const auto less = max_shared(limits, changed, blocks);
    if (!less) return std::nullopt;
    changed.shared = std::min(launch.shared, *less);
  }
  return Step{changed, occupancy(limits, changed)};
}

/// The nearest block size, in whole warps, that occupies the SM better.
constexpr std::optional<Step> step_by_threads(const SmLimits& limits, const Launch& launch, double fraction) {
  const Count max_threads = std::min(limits.block_threads, limits.threads);
  std::optional<Step> nearest;
  Count distance = max_threads;
  for (Count threads = limits.warp_size; threads <= max_threads; threads += limits.warp_size) {
    const Count away = threads > launch.threads ? threads - launch.threads : launch.threads - threads;
    if (nearest && away >= distance) continue;
    Launch changed = launch;
    changed.threads = threads;
    const Occupancy reached = occupancy(limits, changed);
    if (reached.fraction > fraction) {
      nearest = Step{changed, reached};
      distance = away;
    }
  }
  return nearest;
}

}  // namespace detail

/// Returns changes that reach a higher occupancy: first fewer registers or less shared memory, then another
/// block size. Empty if nothing helps.
constexpr std::vector<Step> next_steps(const SmLimits& limits, const Launch& launch) {
  const Occupancy now = occupancy(limits, launch);
  std::vector<Step> steps;
  if (const auto step = detail::step_by_resources(limits, launch, now.blocks + 1)) steps.push_back(*step);
  if (const auto step = detail::step_by_threads(limits, launch, now.fraction)) steps.push_back(*step);
  return steps;
}

namespace detail {

/// The maximum rows of a sweep, for its memory.
inline constexpr Count max_rows = 65536;

constexpr void require_rows(Count rows) {
  if (rows <= max_rows) return;
  throw Error(rooftile::detail::text("sweep too long (", rows, " rows, at most ", max_rows,
                                     "): take a larger step, or smaller limits of an SM"));
}

}  // namespace detail

/// Returns the launch with every block size that is a whole number of warps. @throws Error  for too many rows
constexpr std::vector<Step> sweep_threads(const SmLimits& limits, Launch launch) {
  std::vector<Step> rows;
  const Count max_threads = std::min(limits.block_threads, limits.threads);
  detail::require_rows(max_threads / limits.warp_size);
  for (launch.threads = limits.warp_size; launch.threads <= max_threads; launch.threads += limits.warp_size) {
    rows.push_back({launch, occupancy(limits, launch)});
  }
  return rows;
}

/// Returns the launch with 1, 2, … registers per thread, as many as a block may have.
/// @throws Error  if registers have no limit, or for too many rows
constexpr std::vector<Step> sweep_registers(const SmLimits& limits, Launch launch) {
  if (limits.registers == unlimited) {
    throw Error("nothing to sweep over (registers without a limit): say how many an SM has");
  }
  detail::require_count(launch.threads, 1, "threads per block");
  const Count max_count = std::min(limits.thread_registers, limits.registers / launch.threads);
  detail::require_rows(max_count);
  std::vector<Step> rows;
  for (launch.registers = 1; launch.registers <= max_count; ++launch.registers) {
    rows.push_back({launch, occupancy(limits, launch)});
  }
  return rows;
}

/// Returns the launch with 0, `step`, 2·`step` … bytes of shared memory, up to a block's maximum.
/// @throws Error  if `step` is not positive, shared memory has no limit, or for too many rows
constexpr std::vector<Step> sweep_shared(const SmLimits& limits, Launch launch, Count step) {
  detail::require_count(step, 1, "step of shared bytes");
  if (limits.shared == unlimited) {
    throw Error("nothing to sweep over (shared memory without a limit): say how much an SM has");
  }
  std::vector<Step> rows;
  const Count max_bytes = std::min(limits.block_shared, limits.shared);
  detail::require_rows(max_bytes / step);
  for (launch.shared = 0; launch.shared <= max_bytes; launch.shared += step) {
    rows.push_back({launch, occupancy(limits, launch)});
  }
  return rows;
}

}  // namespace rooftile::model
