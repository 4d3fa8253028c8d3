// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "plan/block_limits.hpp"
#include "plan/target.hpp"
#include "rooftile/model/device.hpp"

/// @file
/// Constructs targets from the properties of a device, or from the device table of the model.

namespace rooftile {

/// Returns the target of a CUDA device on the native path.
/// @param capability  compute capability, major·10 + minor
/// @param name        device name as in tuning tables; must outlive the target
Target native_target(const BlockLimits& limits, int capability, int sms, const model::Costs& costs,
                     ComputeMode math, std::string_view name);

namespace detail {

/// Returns the compute capability of an NVIDIA device, major·10 + minor; 0 for other devices.
int capability_of(const model::Device& device);

}  // namespace detail

/// Returns the target of a GPU of the device table. @pre the native path requires an NVIDIA GPU
Target target_of(const model::Device& device, Path path, ComputeMode math);

}  // namespace rooftile
