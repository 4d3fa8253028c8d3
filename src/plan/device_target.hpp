// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "plan/costs/cost_model.hpp"
#include "plan/refusal.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/model/device.hpp"

/// @file
/// Targets from what is known of a device: asked of the device itself, or out of the model's table.

namespace rooftile {

/// A CUDA device on the native path.
/// @param capability  major·10 + minor
/// @param name        the device's, as tuning tables have it; it must outlive the target
constexpr Target native_target(const BlockLimits& limits, int capability, int sms, const model::Costs& costs,
                               Math math, std::string_view name) {
  return {.path = Path::native,
          .limits = limits,
          .math = math,
          .capability = capability,
          .sms = sms,
          // Of its kernels' rings of panels, which have as many stages wherever they run: before compute
          // capability 8.0, copies go through registers, into the same memory.
          .asynchronous_copies = true,
          .device = name,
          .costs = costs};
}

namespace detail {

/// The compute capability of a device of NVIDIA, major·10 + minor; 0 of others.
constexpr int capability_of(const model::Device& device) {
  if (device.vendor != model::Vendor::nvidia) return 0;
  int capability = 0;
  for (const char c : device.architecture) {
    if (c != '.') capability = 10 * capability + (c - '0');
  }
  return capability;
}

/// What a device's matrix instructions compute on the portable path.
constexpr std::span<const Math> fragments_of(const model::Device& device) {
  if (capability_of(device) >= 80) return ladder_maths::fragments;
  if (device.architecture == "gfx90a" || device.architecture == "gfx942") return ladder_maths::mfma;
  return {};
}

/// What they compute there where TMA feeds them and the library is built for that.
constexpr std::span<const Math> warpgroups_of(const model::Device& device) {
  if (capability_of(device) == 90) return ladder_maths::warpgroups;
  return {};
}

}  // namespace detail

/// A GPU of the model's device table on a path. @pre it has the path: the native one, NVIDIA's only
constexpr Target target_of(const model::Device& device, Path path, Math math) {
  const auto bytes = [](model::Count count) { return static_cast<std::size_t>(count); };
  const model::Costs costs = model::costs_of(device);
  BlockLimits limits{static_cast<int>(device.limits.block_threads),
                     bytes(device.limits.block_shared_default)};
  if (device.vendor == model::Vendor::nvidia) limits.shared_bytes_optin = bytes(device.limits.block_shared);
  if (path == Path::native) {
    return native_target(limits, detail::capability_of(device), device.sms, costs, math, device.name);
  }
  return {.path = path,
          .limits = limits,
          .math = math,
          .sms = device.sms,
          .fragments = detail::fragments_of(device),
          .asynchronous_copies = device.vendor != model::Vendor::amd,
          .device = device.name,
          .costs = costs,
          .warpgroups = detail::warpgroups_of(device)};
}

}  // namespace rooftile
