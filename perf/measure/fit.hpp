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
  double regret = 1;       ///< time of the choice / time of the fastest, geometric mean
  double over = 0;         ///< fraction of products with a regret above 1.1
  double worst = 1;        ///< largest regret
  std::string worst_name;  ///< its product, the chosen kernel and the fastest kernel
  double residual = 0;     ///< RMS error of log(time), weighted towards fast kernels
};

struct FittedMode {
  model::ModeCosts mode;
  std::vector<model::TileCosts> tiles;
  ChoiceScore score;  ///< on the products used for the fit
};

/// Fits each path and mode of the sweeps: first least squares of the logarithms of times, then descent on the
/// regret of the choice.
std::vector<FittedMode> fitted(const std::vector<Sweep>& sweeps,
                               const std::function<Target(Path, ComputeMode)>& target);

/// The score of fitted figures on other sweeps; a mode without products in the sweeps has no score.
ChoiceScore score_of(const FittedMode& fit, const std::vector<Sweep>& sweeps, const Target& target);

}  // namespace rooftile::perf
