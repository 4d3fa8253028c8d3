// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <string_view>

#include "rooftile/error.hpp"
#include "rooftile/model/latency.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

/// Returns GB/s of one memory channel: `bytes per transfer × transfers per clock × clock` (Kirk & Hwu, "DRAM
/// channels and banks").
/// @param transfers_per_clock  2 for double data rate
/// @throws Error  if an argument is not positive, or the product exceeds the range of a double
constexpr double channel_gbs(Count bus_bits, double clock_ghz, Count transfers_per_clock = 2) {
  if (!(bus_bits > 0 && clock_ghz > 0 && transfers_per_clock > 0)) {
    throw Error(rooftile::detail::text("invalid memory bus (", bus_bits, " bits, ", clock_ghz, " GHz, ",
                                       transfers_per_clock, " transfers per clock): give positive numbers"));
  }
  return detail::held(
      static_cast<double>(bus_bits) / 8 * clock_ghz * static_cast<double>(transfers_per_clock), bus_bits,
      " bits, ", clock_ghz, " GHz and ", transfers_per_clock, " transfers per clock");
}

/// Returns the number of channels that reach a bandwidth. @throws Error  if an argument is not positive
constexpr Count channels_needed(double wanted_gbs, double channel_gbs) {
  if (!(wanted_gbs > 0 && channel_gbs > 0)) {
    throw Error(rooftile::detail::text("invalid bandwidth (", wanted_gbs, " GB/s from channels of ",
                                       channel_gbs, " GB/s): give positive numbers"));
  }
  return detail::rounded_up(wanted_gbs / channel_gbs, wanted_gbs, " GB/s wanted and ", channel_gbs,
                            " GB/s of a channel");
}

/// Returns the DRAM banks that keep one channel busy, `latency / transfer` + 1: while one bank transfers, the
/// others look up (Kirk & Hwu, as above). @throws Error  if an argument is not positive
constexpr Count banks_needed(double lookup_ns, double transfer_ns) {
  if (!(lookup_ns > 0 && transfer_ns > 0)) {
    throw Error(rooftile::detail::text("invalid burst (lookup ", lookup_ns, " ns, transfer ", transfer_ns,
                                       " ns): give positive numbers"));
  }
  return detail::rounded_up(lookup_ns / transfer_ns, lookup_ns, " ns of lookup and ", transfer_ns,
                            " ns of transfer") +
         1;
}

/// Returns the lanes of a warp that wait for one shared-memory bank if lane i accesses word `i × stride`. 1:
/// no conflict. Stride 0 is a broadcast (CUDA C++ Programming Guide, "Shared memory").
/// @throws Error  if an argument is out of range
constexpr Count bank_conflicts(Count stride_words, Count lanes = 32, Count banks = 32) {
  if (stride_words < 0 || lanes < 1 || banks < 1) {
    throw Error(rooftile::detail::text("invalid shared-memory access (stride ", stride_words, ", ", lanes,
                                       " lanes, ", banks, " banks): give positive numbers"));
  }
  if (stride_words == 0) return 1;
  return ceil_div(lanes, banks / std::gcd(stride_words, banks));
}

/// The memory, scope and lifetime of a variable (Kirk & Hwu, "CUDA device memory types"; CUDA C++ Programming
/// Guide, "Variable memory space specifiers").
struct VariablePlacement {
  std::string_view declaration;  ///< the declaration
  std::string_view memory;       ///< the memory that holds it
  std::string_view scope;        ///< the threads that see it
  std::string_view lifetime;     ///< when it exists
};

/// All kinds of variables.
inline constexpr VariablePlacement variable_placements[] = {
    {"automatic scalar", "register", "thread", "grid"},  {"automatic array", "local", "thread", "grid"},
    {"__shared__", "shared", "block", "grid"},           {"__device__", "global", "grid", "application"},
    {"__constant__", "constant", "grid", "application"},
};

/// Bytes of all `__constant__` variables together.
inline constexpr Count constant_memory_bytes = 64 * 1024;

/// The copies of one variable in a launch, by kind of variable.
struct VariableCopies {
  Count automatic = 0;  ///< automatic: one per thread
  Count shared = 0;     ///< shared: one per block
  Count global = 1;     ///< others: one
};

/// Returns the copies in a launch. @throws Error  for an empty launch, and for too many threads to count
constexpr VariableCopies variable_copies(Count blocks, Count block_threads) {
  if (blocks < 1 || block_threads < 1) {
    throw Error(rooftile::detail::text("empty launch (", blocks, " blocks of ", block_threads,
                                       " threads): give positive numbers"));
  }
  Count threads = 0;
  if (__builtin_mul_overflow(blocks, block_threads, &threads)) {
    throw Error(rooftile::detail::text("too many threads to count (", blocks, " blocks of ", block_threads,
                                       "): give smaller numbers"));
  }
  return {threads, blocks};
}

}  // namespace rooftile::model
