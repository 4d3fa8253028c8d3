// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "../machine.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/error.hpp"

/// The ceilings of a roofline: what their kernels have in common. Each kernel's result is known and looked
/// at, so that no compiler leaves out what is timed.
namespace rooftile::perf {

inline constexpr int fma_steps = 4096;

/// The sum of chains of fused multiply-adds, of which enough hide the latency of the units; with a small seed
/// they stay small. @tparam V  a floating-point type, or a vector of them
template <int chains, class V>
ROOFTILE_FUNCTION V fma_chains(V seed) {
  V x[chains];
  const V factor = 1 - seed;
  for (int c = 0; c < chains; ++c) x[c] = seed * static_cast<float>(c + 1);
  for (int step = 0; step < fma_steps; ++step) {
    for (int c = 0; c < chains; ++c) x[c] = x[c] * factor + seed;
  }
  V sum = x[0];
  for (int c = 1; c < chains; ++c) sum += x[c];
  return sum;
}

/// What `fma_chains` returns but for its rounding: x becomes 1 - (1 - x)·(1 - seed) at each step.
inline double sum_of_fma_chains(int chains, double seed) {
  double sum = 0;
  for (int c = 0; c < chains; ++c) sum += 1 - (1 - seed * (c + 1)) * std::pow(1 - seed, fma_steps);
  return sum;
}

/// @param tolerance  relative; 0: sums of whole numbers, which are exact
/// @throws Error where a ceiling's kernel computed something else than it should: its time says nothing then
inline void require_result(const char* ceiling, double found, double wanted, double tolerance = 0) {
  if (std::abs(found - wanted) <= tolerance * std::abs(wanted)) return;
  throw Error(detail::text("wrong result of a ceiling's kernel (", ceiling, ", ", found, " instead of ",
                           wanted, "): see the device's log"));
}

/// Of `fma_chains` with few bits: 4,096 roundings of 24 bits each.
inline constexpr double chain_tolerance = 1e-3;

/// The best of several runs of `work`: a ceiling is what the machine can do, undisturbed.
inline double best_seconds(Device& device, const std::function<void()>& work) {
  double best = device.seconds(work);
  for (int run = 1; run < 10; ++run) best = std::min(best, device.seconds_behind([] {}, work));
  return best;
}

/// Each of the two arrays of the copy: several times the largest cache of today's CPUs and GPUs.
inline constexpr std::size_t copy_bytes = std::size_t{1} << 29;

}  // namespace rooftile::perf
