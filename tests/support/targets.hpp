// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/block_limits.hpp"
#include "plan/choose.hpp"
#include "plan/refusal.hpp"
#include "rooftile/ladder.hpp"

/// Targets for the tests of choices and refusals.
namespace rooftile::testing {

inline constexpr std::size_t kib = 1024;
inline constexpr BlockLimits today{1024, 48 * kib};
inline constexpr BlockLimits hopper{1024, 48 * kib, 227 * kib};
inline constexpr BlockLimits g80{512, 16 * kib};
inline constexpr GemmShape cube{64, 64, 64};
inline constexpr TileShape blocks{64, 1024, 512, 8, 32};  // for some CPU's caches

constexpr Target native(BlockLimits limits = today, ComputeMode math = ComputeMode::fp32) {
  return {Path::native, limits, math, {}, 90, 132};
}
constexpr Target portable(BlockLimits limits = hopper, ComputeMode math = ComputeMode::fp32) {
  return {Path::portable, limits, math, {}, 0, 132};
}
constexpr Target cpu(ComputeMode math = ComputeMode::fp32) {
  return {Path::portable, {1024, 32 * kib}, math, blocks};
}
/// An H200. The portable path has matrix instructions, too.
constexpr Target h200(Path path, ComputeMode math) {
  return {path, hopper, math, {}, 90, 132, ladder_modes::warp_mma, true, {}, model::unknown_costs};
}
/// A target that supports a rung.
constexpr Target target_for(const Rung& rung, ComputeMode math) {
  Target target = rung.runs_on == RunsOn::cpus ? cpu(math)
                  : rung.native                ? native(today, math)
                                               : portable(today, math);
  target.limits.shared_bytes_optin = 227 * kib;
  return target;
}

// Not inlined: GCC 12 would take the string's own buffer for the text (-Wstringop-overread).
[[gnu::noinline]] inline std::string refusal_of(Kernel kernel, GemmShape shape, TileShape tile,
                                                const Target& target = native()) {
  return refusal(rung_of(kernel), shape, tile, target).text;
}

}  // namespace rooftile::testing
