// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/costs/cost_model.hpp"
#include "rooftile/model/find_device.hpp"

namespace rooftile::model {

/// Returns the costs of a device that a driver reports. The first match of this list applies:
/// 1. the device with this name in the device table;
/// 2. a device of this architecture in the table, with the reported clock and bandwidth;
/// 3. the reported properties alone.
/// @param told  reported name, architecture, SMs, clock and bandwidth
inline Costs costs_here(const Device& told) {
  if (const Device* named = built_in_like(told.name)) return costs_of(*named);
  for (const Device& like : devices) {
    if (like.vendor == told.vendor && told.architecture.starts_with(like.architecture))
      return costs_of(like, told.clock_mhz, told.bandwidth_gbs);
  }
  return costs_of(told);
}

}  // namespace rooftile::model
