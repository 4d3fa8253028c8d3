// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

#include "rooftile/error.hpp"
#include "rooftile/model/device.hpp"
#include "rooftile/model/traffic.hpp"

namespace rooftile::model {

/// The resource that limits a kernel in the roofline model (Williams, Waterman & Patterson, Communications of
/// the ACM 52(4), 2009). Rates are in GFLOP/s and GB/s (10⁹), intensities in FLOP per byte.

enum class Bound { memory, compute };

/// The names, in the order of `Bound`.
inline constexpr std::array<std::string_view, 2> bound_names = {"memory", "compute"};

/// Returns the name of a bound.
constexpr std::string_view name(Bound b) {
  return bound_names[static_cast<std::size_t>(b)];
}

/// The rate that a kernel can reach under a roofline.
struct Attainable {
  double gflops = 0;            ///< GFLOP/s
  Bound bound = Bound::memory;  ///< the limiting resource
  double fraction_of_peak = 0;  ///< share of the pipe's peak
  std::string_view ceiling;     ///< the binding ceiling: a bandwidth's name, or the pipe
};

namespace detail {

constexpr void require_rate(double value, std::string_view what) {
  // The negation also catches NaN.
  if (!(value > 0 && value <= std::numeric_limits<double>::max())) {
    throw Error(rooftile::detail::text(what, " out of range (", value, "): give a positive number"));
  }
}

}  // namespace detail

/// Returns the intensity of the ridge point: `peak / bandwidth`, in FLOP per byte.
/// @throws Error  if a rate is not positive and finite
constexpr double ridge(double peak_gflops, double bandwidth_gbs) {
  detail::require_rate(peak_gflops, "peak");
  detail::require_rate(bandwidth_gbs, "bandwidth");
  detail::require_rate(peak_gflops / bandwidth_gbs, "peak over bandwidth");
  return peak_gflops / bandwidth_gbs;
}

/// Returns `min(peak, bandwidth × intensity)`. At the ridge, a kernel is compute-bound.
/// @throws Error  if a rate or the intensity is not positive and finite
constexpr Attainable attainable(double peak_gflops, double bandwidth_gbs, double intensity) {
  detail::require_rate(intensity, "intensity");
  const bool memory_bound = intensity < ridge(peak_gflops, bandwidth_gbs);
  const double gflops = memory_bound ? bandwidth_gbs * intensity : peak_gflops;
  return {gflops, memory_bound ? Bound::memory : Bound::compute, gflops / peak_gflops,
          memory_bound ? "memory" : "peak"};
}

/// Ceilings of a device for one type and pipe; 0: unknown.
struct Ceilings {
  double peak_gflops = 0;    ///< of the pipe
  double dram_gbs = 0;       ///< of the device memory
  double l2_gbs = 0;         ///< between L2 and the SMs
  double l1_gbs = 0;         ///< of L1 or shared memory, all SMs
  Pipe pipe = Pipe::vector;  ///< the pipe
  bool cached = true;        ///< false: every request goes to memory, as before Fermi
};

/// Returns the ceilings of the data sheet. The L1 ceiling applies to the vector pipe only, because matrix
/// units fetch operands differently.
constexpr Ceilings ceilings(const Device& device, Precision precision, Pipe pipe) {
  Ceilings roof;
  roof.peak_gflops = device.peak_gflops(precision, pipe);
  roof.dram_gbs = device.bandwidth_gbs;
  roof.l2_gbs = device.l2_gbs();
  roof.l1_gbs = pipe == Pipe::vector ? device.shared_gbs() : 0;
  roof.pipe = pipe;
  roof.cached = device.vendor == Vendor::cpu || device.l2_bytes > 0;
  return roof;
}

/// Returns the attainable rate under the hierarchical roofline (Yang, Kurth & Williams, Concurrency and
/// Computation 32(20), 2020): the minimum of the peak and each level's bandwidth × intensity. Each level
/// counts the least traffic, so that no run exceeds the result. An unknown bandwidth does not limit.
/// @throws Error  if the peak is not positive or the kernel computes nothing
constexpr Attainable attainable(const Ceilings& roof, const Traffic& kernel) {
  detail::require_rate(roof.peak_gflops, "peak");
  detail::require_rate(kernel.flops, "number of operations");
  Attainable found{roof.peak_gflops, Bound::compute, 1, name(roof.pipe)};
  const auto limit = [&](double gbs, double bytes, std::string_view level) {
    if (gbs <= 0) return;
    const double gflops = gbs * kernel.flops / bytes;
    if (gflops < found.gflops) found = {gflops, Bound::memory, gflops / roof.peak_gflops, level};
  };
  limit(roof.dram_gbs, roof.cached ? kernel.dram_bytes : kernel.requested_bytes + kernel.stored_bytes,
        "dram");
  limit(roof.l2_gbs, kernel.l2_bytes, "l2");
  limit(roof.l1_gbs, kernel.l1_bytes, "l1");
  return found;
}

}  // namespace rooftile::model
