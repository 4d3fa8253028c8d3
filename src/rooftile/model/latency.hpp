// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

namespace detail {

constexpr Count rounded_up(double x) {
  const auto whole = static_cast<Count>(x);
  return static_cast<double>(whole) < x ? whole + 1 : whole;
}

}  // namespace detail

/// Warps that a scheduler needs to stay busy while each waits for memory: `latency / (cycles between two
/// memory accesses of one warp)`, rounded up (Kirk & Hwu, "Warp scheduling and latency tolerance").
/// @param latency_cycles           until a memory access returns
/// @param issue_cycles             that one instruction of a warp occupies the units
/// @param instructions_per_access  of which one accesses memory
/// @throws Error if anything is not positive
constexpr Count warps_to_hide(double latency_cycles, double issue_cycles, double instructions_per_access) {
  if (!(latency_cycles > 0 && issue_cycles > 0 && instructions_per_access > 0)) {
    throw Error(rooftile::detail::text("no latency to hide (", latency_cycles, " cycles, ", issue_cycles,
                                       " per instruction, one access per ", instructions_per_access,
                                       " instructions): give positive numbers"));
  }
  return detail::rounded_up(latency_cycles / (issue_cycles * instructions_per_access));
}

/// Bytes that must be under way for memory to deliver its bandwidth: Little's law, `latency × bandwidth`
/// (Little, Operations Research 9(3), 1961; for GPUs Volkov, "Better performance at lower occupancy", 2010).
/// @param latency_ns     nanoseconds
/// @param bandwidth_gbs  10⁹ bytes per second
constexpr double bytes_in_flight(double latency_ns, double bandwidth_gbs) {
  if (!(latency_ns > 0 && bandwidth_gbs > 0)) {
    throw Error(rooftile::detail::text("nothing in flight (", latency_ns, " ns, ", bandwidth_gbs,
                                       " GB/s): give positive numbers"));
  }
  return latency_ns * bandwidth_gbs;
}

/// Threads that keep `bytes` under way, each with `accesses` independent loads of `access_bytes`. Four loads
/// of 4 bytes count as much as one of 16.
constexpr Count threads_in_flight(double bytes, double access_bytes, double accesses) {
  if (!(bytes > 0 && access_bytes > 0 && accesses > 0)) {
    throw Error(rooftile::detail::text("nothing in flight (", bytes, " bytes, ", accesses, " accesses of ",
                                       access_bytes, " bytes): give positive numbers"));
  }
  return detail::rounded_up(bytes / (access_bytes * accesses));
}

}  // namespace rooftile::model
