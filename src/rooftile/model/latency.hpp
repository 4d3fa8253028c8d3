// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

namespace detail {

/// The largest count that a double represents exactly.
inline constexpr double largest_count = 9007199254740992.0;  // 2^53

/// Returns x, rounded up. @param of  the parts of x, for the message
/// @throws Error  if x is not a number or exceeds `largest_count`
template <class... Parts>
constexpr Count rounded_up(double x, const Parts&... of) {
  // The negation also catches NaN.
  if (!(x <= largest_count)) {
    throw Error(
        rooftile::detail::text("count too large (", x, " from ", of..., "): give less extreme numbers"));
  }
  const auto whole = static_cast<Count>(x);
  return static_cast<double>(whole) < x ? whole + 1 : whole;
}

/// Returns x. @throws Error  if x exceeds the range of a double
template <class... Parts>
constexpr double held(double x, const Parts&... of) {
  if (x > 0 && x <= std::numeric_limits<double>::max()) return x;
  throw Error(rooftile::detail::text("outside the range of a double (", x, " from ", of...,
                                     "): give less extreme numbers"));
}

}  // namespace detail

/// Returns the warps that keep a scheduler busy while each waits for memory (Kirk & Hwu, "Warp scheduling and
/// latency tolerance"): `latency / (cycles between two memory accesses of one warp)`, rounded up.
/// @param latency_cycles  cycles of a memory access
/// @param issue_cycles  cycles that an instruction of a warp occupies the units
/// @param instructions_per_access  instructions of which one accesses memory
/// @throws Error  if an argument is not positive, or the result is too large to count
constexpr Count warps_to_hide(double latency_cycles, double issue_cycles, double instructions_per_access) {
  if (!(latency_cycles > 0 && issue_cycles > 0 && instructions_per_access > 0)) {
    throw Error(rooftile::detail::text("invalid latency (", latency_cycles, " cycles, ", issue_cycles,
                                       " per instruction, one access per ", instructions_per_access,
                                       " instructions): give positive numbers"));
  }
  const double between =
      detail::held(issue_cycles * instructions_per_access, issue_cycles, " cycles per instruction and ",
                   instructions_per_access, " instructions per access");
  return detail::rounded_up(latency_cycles / between, latency_cycles, " cycles of latency and ", between,
                            " between two accesses");
}

/// Returns the bytes in flight for full memory bandwidth, by Little's law: `latency × bandwidth` (Little,
/// Operations Research 9(3), 1961; for GPUs Volkov, "Better performance at lower occupancy", 2010).
/// @param latency_ns  nanoseconds
/// @param bandwidth_gbs  10⁹ bytes per second
/// @throws Error  if an argument is not positive, or the product exceeds the range of a double
constexpr double bytes_in_flight(double latency_ns, double bandwidth_gbs) {
  if (!(latency_ns > 0 && bandwidth_gbs > 0)) {
    throw Error(rooftile::detail::text("nothing in flight (", latency_ns, " ns, ", bandwidth_gbs,
                                       " GB/s): give positive numbers"));
  }
  return detail::held(latency_ns * bandwidth_gbs, latency_ns, " ns and ", bandwidth_gbs, " GB/s");
}

/// Returns the threads that keep `bytes` in flight, each with `accesses` independent loads of `access_bytes`.
/// Four loads of 4 bytes count as one of 16.
/// @throws Error  if an argument is not positive, or the result is too large to count
constexpr Count threads_in_flight(double bytes, double access_bytes, double accesses) {
  if (!(bytes > 0 && access_bytes > 0 && accesses > 0)) {
    throw Error(rooftile::detail::text("nothing in flight (", bytes, " bytes, ", accesses, " accesses of ",
                                       access_bytes, " bytes): give positive numbers"));
  }
  const double each =
      detail::held(access_bytes * accesses, accesses, " accesses of ", access_bytes, " bytes");
  return detail::rounded_up(bytes / each, bytes, " bytes and ", each, " bytes of a thread");
}

}  // namespace rooftile::model
