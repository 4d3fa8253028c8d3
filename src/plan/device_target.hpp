// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "plan/block_limits.hpp"
#include "plan/target.hpp"
#include "rooftile/model/device.hpp"

/// @file
/// Targets from what is known of a device: asked of the device itself, or out of the model's table.

namespace rooftile {

/// A CUDA device on the native path, of compute capability major·10 + minor.
/// @param name  the device's, as tuning tables have it; it must outlive the target
Target native_target(const BlockLimits& limits, int capability, int sms, const model::Costs& costs,
                     ComputeMode math, std::string_view name);

namespace detail {

/// The compute capability of a device of NVIDIA, major·10 + minor; 0 of others.
int capability_of(const model::Device& device);

}  // namespace detail

/// A GPU of the model's device table on a path. @pre it has the path: the native one, NVIDIA's only
Target target_of(const model::Device& device, Path path, ComputeMode math);

}  // namespace rooftile
