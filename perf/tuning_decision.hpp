// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace rooftile::perf {

/// Seconds of a product's best kernels, measured in turn: of the one that a search found fastest, and of the
/// one that the model takes, twice, once under its own name and once as gemm's choice.
struct Finalists {
  double fastest;
  double model;
  double model_again;

  /// What one kernel's two times differ by: the noise of this very measurement, relative.
  double noise() const { return std::max(model, model_again) / std::min(model, model_again) - 1; }

  /// How much faster the fastest is than the better of the model's times, relative.
  double gain() const { return std::min(model, model_again) / fastest - 1; }

  /// Whether it is worth a line in a tuning table: by more than `margin`, and than twice the noise.
  bool is_faster(double margin) const { return gain() > std::max(margin, 2 * noise()); }
};

}  // namespace rooftile::perf
