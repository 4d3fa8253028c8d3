// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/device_target.hpp"

#include "plan/block_limits.hpp"
#include "plan/costs/cost_model.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile {

namespace {

/// Returns the modes of a device's matrix instructions on the portable path.
std::span<const ComputeMode> fragments_of(const model::Device& device) {
  if (detail::capability_of(device) >= 80) return ladder_modes::warp_mma;
  if (device.architecture == "gfx90a" || device.architecture == "gfx942") return ladder_modes::mfma;
  return {};
}

/// Returns the modes of kernels with TMA and wgmma on the portable path, in a library that is built for them.
std::span<const ComputeMode> warpgroups_of(const model::Device& device) {
  if (detail::capability_of(device) == 90) return ladder_modes::wgmma;
  return {};
}

}  // namespace

int detail::capability_of(const model::Device& device) {
  if (device.vendor != model::Vendor::nvidia) return 0;
  int capability = 0;
  for (const char c : device.architecture) {
    if (c != '.') capability = 10 * capability + (c - '0');
  }
  return capability;
}

Target native_target(const BlockLimits& limits, int capability, int sms, const model::Costs& costs,
                     ComputeMode math, std::string_view name) {
  return {.path = Path::native,
          .limits = limits,
          .math = math,
          .capability = capability,
          .sms = sms,
          // Every NVIDIA GPU uses the full number of stages. Before compute capability 8.0, copies go through
          // registers to the panels.
          .asynchronous_copies = true,
          .device = name,
          .costs = costs};
}

Target target_of(const model::Device& device, Path path, ComputeMode math) {
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
          .warp_mma = fragments_of(device),
          .asynchronous_copies = device.vendor != model::Vendor::amd,
          .device = device.name,
          .costs = costs,
          .wgmma = warpgroups_of(device)};
}

}  // namespace rooftile
