// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "../machine.hpp"
#include "rooftile/detail/function.hpp"

/// The two ceilings of a roofline.
namespace rooftile::perf {

/// Multiply-adds of each chain.
inline constexpr int fma_steps = 4096;

/// Chains of fused multiply-adds that depend on nothing but themselves: enough of them hide the latency of
/// the units. Returns the sum of the chains, so that the compiler keeps each; with a small seed they stay
/// small.
/// @tparam V  a floating-point type, or a vector of them
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

/// The best of several runs of `work`: a ceiling is what the machine can do, undisturbed.
inline double best_seconds(Device& device, const std::function<void()>& work) {
  double best = device.seconds(work);
  for (int run = 1; run < 10; ++run) best = std::min(best, device.seconds(work));
  return best;
}

/// Each of the two arrays of the copy: several times the largest cache of today's CPUs and GPUs.
inline constexpr std::size_t copy_bytes = std::size_t{1} << 29;

}  // namespace rooftile::perf
