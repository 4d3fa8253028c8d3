// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "calibration_experiments.hpp"
#include "sampler.hpp"

/// From the times of kernels to the figures of the model, for `rooftile calibrate`.
namespace rooftile::perf {

/// A figure that was looked for.
struct CalibratedCost {
  model::CostMember figure = nullptr;
  double value = 0;
  double spread = 0;         ///< between the two halves of the samples, relative
  std::string problem = {};  ///< why it is none; empty if it is one
};

/// The figures of an experiment, each with how sure it is.
/// @param launch  cycles that a launch takes
/// @param cycles  of each kernel as many samples, 2 at least, in the order in which they were taken
inline std::vector<CalibratedCost> calibrated(const Experiment& experiment, const model::Costs& costs,
                                              double launch, const std::vector<std::vector<double>>& cycles) {
  constexpr double max_spread = 0.5;
  std::vector<CalibratedCost> found;
  for (const auto figure : experiment.figures) found.push_back({figure});
  const auto fail = [&](const std::string& problem) {
    for (CalibratedCost& cost : found) cost.problem = problem;
    return found;
  };
  for (const auto& samples : cycles) {
    for (const double sample : samples) {
      if (!std::isfinite(sample) || sample <= launch)
        return fail(rooftile::detail::text("a kernel took no longer than a launch (", sample, " cycles, ",
                                           launch, ")"));
    }
  }
  const auto solved = [&](double from, double to) {
    std::vector<double> medians;
    for (const auto& samples : cycles) {
      const auto at = [&](double share) {
        return samples.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size()));
      };
      medians.push_back(summarise({at(from), at(to)}).median - launch);
    }
    return experiment.solve(costs, medians);
  };
  const auto all = solved(0, 1), first = solved(0, 0.5), second = solved(0.5, 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CalibratedCost& cost = found[i];
    cost.value = all[i];
    cost.spread = std::abs(first[i] - second[i]) / std::abs(all[i]);
    if (!std::isfinite(cost.value) || cost.value <= 0) {
      cost.problem = rooftile::detail::text("the times give no positive number (", cost.value, ")");
    } else if (!(cost.spread <= max_spread)) {
      cost.problem = rooftile::detail::text("too noisy (", cost.value, ", halves of the samples differ by ",
                                            100 * cost.spread, " %)");
    }
  }
  return found;
}

}  // namespace rooftile::perf
