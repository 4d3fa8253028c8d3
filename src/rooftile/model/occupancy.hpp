// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

/// A resource that can limit the blocks on an SM.
enum class Limiter { threads, blocks, registers, shared_memory, barriers, assigned };

/// The names, in the order of `Limiter`.
inline constexpr std::array<std::string_view, 6> limiter_names = {"threads",       "blocks",   "registers",
                                                                  "shared_memory", "barriers", "assigned"};

/// Returns the name of a limiter.
constexpr std::string_view name(Limiter limiter) {
  return limiter_names[static_cast<std::size_t>(limiter)];
}

/// One kernel launch, as an SM sees it.
struct Launch {
  Count threads = 0;           ///< per block
  Count registers = 0;         ///< per thread; 0: unknown or none
  Count shared = 0;            ///< bytes per block, static and dynamic together
  Count barriers = 1;          ///< per block
  Count assigned = unlimited;  ///< blocks of the grid for this SM at a time
  int carveout_percent = 100;  ///< preferred share of shared memory in its split with L1
  bool opt_in = true;          ///< the kernel opts in to more shared memory than the default
};

/// The blocks that are resident on one SM.
struct Occupancy {
  Count blocks = 0;           ///< on one SM
  Count threads = 0;          ///< of all resident blocks
  Count warps = 0;            ///< of all resident blocks
  double fraction = 0;        ///< share of the threads (textbook) or warps (hardware) of a full SM
  Count block_registers = 0;  ///< registers of one block
  Count block_shared = 0;     ///< bytes of one block
  std::array<Count, limiter_names.size()> blocks_by{};  ///< blocks that each limiter alone allows

  /// Whether a limiter binds; several may bind.
  constexpr bool limited_by(Limiter limiter) const {
    return blocks_by[static_cast<std::size_t>(limiter)] == blocks;
  }
  /// Returns all limiters that bind.
  constexpr std::vector<Limiter> limiters() const {
    std::vector<Limiter> found;
    for (std::size_t i = 0; i < blocks_by.size(); ++i) {
      if (blocks_by[i] == blocks) found.push_back(static_cast<Limiter>(i));
    }
    return found;
  }
};

namespace detail {

constexpr void require_count(Count value, Count min, std::string_view what) {
  if (value < min || value > unlimited) {
    throw Error(rooftile::detail::text(what, " out of range (", value, "): give ", min, " to ", unlimited));
  }
}

constexpr void check(const SmLimits& limits, const Launch& launch) {
  require_count(limits.threads, 1, "threads per SM");
  require_count(limits.blocks, 1, "blocks per SM");
  require_count(limits.block_threads, 1, "largest number of threads per block");
  require_count(limits.registers, 1, "registers per SM");
  require_count(limits.shared, 0, "shared memory per SM");
  require_count(launch.threads, 1, "threads per block");
  require_count(launch.registers, 0, "registers per thread");
  require_count(launch.shared, 0, "shared bytes per block");
  require_count(launch.barriers, 0, "barriers per block");
  require_count(launch.assigned, 0, "blocks assigned to an SM");
  if (launch.carveout_percent < 0 || launch.carveout_percent > 100) {
    throw Error(rooftile::detail::text("shared-memory carve-out out of range (", launch.carveout_percent,
                                       "): give 0 to 100 percent"));
  }
}

constexpr Count whole(Count available, Count portion) {
  return portion > 0 ? available / portion : unlimited;
}

constexpr Count blocks_by_threads(const SmLimits& limits, const Launch& launch) {
  if (launch.threads > limits.block_threads) return 0;
  return limits.threads / round_up(launch.threads, limits.granularity.thread_group);
}

/// Registers of one warp (textbook: of one thread).
constexpr Count group_registers(const Granularity& g, Count registers) {
  return round_up(registers * g.thread_group, g.register_unit);
}

constexpr Count block_registers(const SmLimits& limits, const Launch& launch) {
  const Granularity& g = limits.granularity;
  const Count groups = ceil_div(launch.threads, g.thread_group);
  if (g.registers_to_block) {
    return round_up(round_up(groups, 2) * g.thread_group * launch.registers, g.register_unit);
  }
  return groups * group_registers(g, launch.registers);
}

constexpr Count blocks_by_registers(const SmLimits& limits, const Launch& launch) {
  const Granularity& g = limits.granularity;
  if (launch.registers > limits.thread_registers) return 0;
  if (g.registers_to_block) return whole(limits.registers, block_registers(limits, launch));
  const Count groups = ceil_div(launch.threads, g.thread_group);
  const Count per_group = group_registers(g, launch.registers);
  if (per_group * round_up(groups, g.checked_partitions) > limits.block_registers) return 0;
  if (per_group == 0) return unlimited;
  return limits.registers / g.partitions / per_group * g.partitions / groups;
}

constexpr Count block_shared(const SmLimits& limits, const Launch& launch) {
  return round_up(launch.shared + limits.granularity.shared_reserved, limits.granularity.shared_unit);
}

/// The smallest carve-out with at least `bytes` of shared memory.
constexpr Count carveout(const SmLimits& limits, Count bytes) {
  for (const int split_kib : limits.carveouts_kib) {
    const Count split = Count{1024} * split_kib;
    if (bytes <= split) return std::min(split, limits.shared);
  }
  return limits.shared;
}

constexpr Count blocks_by_shared(const SmLimits& limits, const Launch& launch) {
  const Count taken = block_shared(limits, launch);
  const Count max_bytes = launch.opt_in ? limits.block_shared : limits.block_shared_default;
  if (taken > max_bytes + limits.granularity.shared_reserved) return 0;
  const Count preferred = carveout(limits, limits.shared * launch.carveout_percent / 100);
  return whole(preferred >= taken ? preferred : carveout(limits, taken), taken);
}

constexpr Count blocks_by_barriers(const SmLimits& limits, const Launch& launch) {
  if (limits.barriers == unlimited) return unlimited;
  if (launch.threads <= limits.warp_size && !limits.lone_warp_takes_barrier) return unlimited;
  return whole(limits.barriers, launch.barriers);
}

}  // namespace detail

/// Returns the resident blocks of a launch on an SM, and the limiters. A launch that cannot run has 0 blocks,
/// and the limiters name the excess.
///
/// With NVIDIA's granularities, this is `cuda_occupancy.h` (partitioned global caching off). With AMD's, it
/// is LLVM's `AMDGPUBaseInfo`. With `textbook(limits)`, it is Kirk & Hwu's count of whole blocks.
/// @throws Error  if a limit or a number of the launch is out of range
constexpr Occupancy occupancy(const SmLimits& limits, const Launch& launch) {
  detail::check(limits, launch);
  Occupancy found;
  found.blocks_by = {detail::blocks_by_threads(limits, launch),   limits.blocks,
                     detail::blocks_by_registers(limits, launch), detail::blocks_by_shared(limits, launch),
                     detail::blocks_by_barriers(limits, launch),  launch.assigned};
  found.blocks = *std::min_element(found.blocks_by.begin(), found.blocks_by.end());
  found.threads = found.blocks * launch.threads;
  found.warps = found.blocks * ceil_div(launch.threads, limits.warp_size);
  const Count slots_per_block = round_up(launch.threads, limits.granularity.thread_group);
  found.fraction = ratio(found.blocks * slots_per_block, limits.threads);
  found.block_registers = detail::block_registers(limits, launch);
  found.block_shared = detail::block_shared(limits, launch);
  return found;
}

}  // namespace rooftile::model
