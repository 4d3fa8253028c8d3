// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../record/sweep_file.hpp"
#include "plan/refusal.hpp"
#include "rooftile/kernel_costs.hpp"

/// Fits the figures of the cost model to recorded sweeps.
namespace rooftile::perf {

struct ChoiceScore {
  std::size_t products = 0;
  double regret = 1;       ///< time of the choice over that of the fastest way, geometric mean
  double over = 0;         ///< share of products where it is more than 1.1
  double worst = 1;        ///< the largest
  std::string worst_name;  ///< of which product, what was taken, and what is faster
  double residual = 0;     ///< of the logarithm of times, root mean square over ways near the fastest
};

struct FittedMode {
  model::ModeCosts mode;
  std::vector<model::TileCosts> tiles;
  ChoiceScore score;  ///< on the products that it was fitted to
};

/// Figures for each path and mode of the sweeps: by least squares of the logarithms of times, then by a
/// descent on the regret of the choice.
std::vector<FittedMode> fitted(const std::vector<Sweep>& sweeps,
                               const std::function<Target(Path, ComputeMode)>& target);

/// The score of figures on other sweeps. A mode of which there is no product has none.
ChoiceScore score_of(const FittedMode& fit, const std::vector<Sweep>& sweeps, const Target& target);

}  // namespace rooftile::perf
