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

/// Shared parts of the ceiling kernels. Each kernel's result is known and checked, so that a compiler cannot
/// remove the timed work.
namespace rooftile::perf {

inline constexpr int fma_steps = 4096;

/// The sum of chains of fused multiply-adds. Enough chains hide the latency of the units; a small seed keeps
/// the values small. @tparam V  a floating-point type, or a vector of them
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

/// The exact result of `fma_chains`, without rounding: each step replaces x by 1 - (1 - x)·(1 - seed).
inline double sum_of_fma_chains(int chains, double seed) {
  double sum = 0;
  for (int c = 0; c < chains; ++c) sum += 1 - (1 - seed * (c + 1)) * std::pow(1 - seed, fma_steps);
  return sum;
}

/// @param tolerance  relative; 0 for sums of whole numbers, which are exact
/// @throws Error if the kernel of a ceiling computed a wrong result, which makes its time invalid
inline void require_result(const char* ceiling, double found, double wanted, double tolerance = 0) {
  if (std::abs(found - wanted) <= tolerance * std::abs(wanted)) return;
  throw Error(detail::text("wrong result of a ceiling's kernel (", ceiling, ", ", found, " instead of ",
                           wanted, "): see the device's log"));
}

/// Relative tolerance of `fma_chains` in fp32: 4,096 roundings to 24 bits each.
inline constexpr double chain_tolerance = 1e-3;

/// The best time of several runs: a ceiling is the rate of an undisturbed machine.
inline double best_seconds(Device& device, const std::function<void()>& work) {
  double best = device.seconds(work);
  for (int run = 1; run < 10; ++run) best = std::min(best, device.seconds_behind([] {}, work));
  return best;
}

/// Size of each of the two arrays of the copy: several times the largest cache of current CPUs and GPUs.
inline constexpr std::size_t copy_bytes = std::size_t{1} << 29;

}  // namespace rooftile::perf
