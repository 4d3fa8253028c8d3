// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/costs/cost_model.hpp"
#include "rooftile/model/find_device.hpp"

namespace rooftile::model {

/// The costs of a device that a driver tells of: those of the table's row with its name; else, with the clock
/// and the bandwidth that it tells, those of a device of its architecture; else of what it tells.
/// @param told  its name, architecture, SMs, clock and bandwidth
inline Costs costs_here(const Device& told) {
  if (const Device* named = built_in_like(told.name)) return costs_of(*named);
  for (const Device& like : devices) {
    if (like.vendor == told.vendor && told.architecture.starts_with(like.architecture))
      return costs_of(like, told.clock_mhz, told.bandwidth_gbs);
  }
  return costs_of(told);
}

}  // namespace rooftile::model
