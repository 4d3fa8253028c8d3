// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "explain_counters.hpp"
#include "plan/plan.hpp"
#include "rooftile/model/device.hpp"
#include "rooftile/model/occupancy.hpp"

namespace rooftile::perf {

struct Explained {
  std::string product;  ///< with its mode, device and path, in words
  const GemmPlan& plan;
  std::string why;   ///< the plan's kernel is taken, and who says so
  Prediction taken;  ///< of that kernel
  const std::vector<Prediction>& predictions;
  const model::Device& device;
  const std::vector<GemmPlan>& next;  ///< the two ways that are closest to the plan's time
  std::string costs;                  ///< which figures the times follow from; empty: a CPU's
};

/// `threads+registers`: what a thread block has of an SM that no other is left room for.
std::string limiters(const model::Occupancy& occupancy);

/// Prints the plan in three lines, and the candidates.
/// @param all  with all figures of all candidates, and the refusals, instead of the five best
void print_explained(const Explained& x, bool all);

}  // namespace rooftile::perf
