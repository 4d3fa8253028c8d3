// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../measure/suite.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/model/device.hpp"
#include "rooftile/model/occupancy.hpp"
#include "rooftile/model/roofline.hpp"
#include "rooftile/model/traffic.hpp"

/// `rooftile explain --counters`: what the hardware counted, beside what the model says.
namespace rooftile::perf {

/// What the model says of one kernel, what a benchmark measured, and what the hardware counted.
struct Prediction {
  const Rung* rung = nullptr;
  bool repack = false;
  TileShape tile;
  std::string refusal;
  model::Traffic traffic;
  model::Attainable attainable;
  model::Occupancy occupancy;
  double divergence = 0;  ///< share of the warp-phases with a divergent check
  double measured_gflops = 0;
  std::vector<Metric> counters{};  ///< empty: not counted
  double least_ms = 0;             ///< of a call, by the roofline; 0: no peak is known
  double expected_ms = 0;          ///< of a call, at least that, by what its parts cost; 0: not known
  bool chosen = false;             ///< the plan's
  bool possible = true;            ///< in the workspace that is allowed, and with something to repack
};

std::string name_of(const Prediction& p);

struct ToCount {
  Product product;
  std::string path;
  Math math;
  const model::Device& device;
};

/// Counts one call of each kernel that runs here, with warm caches; a file has its counters already.
/// @return why none was counted; empty where one was
std::string add_counters(const ToCount& what, const std::string& measured,
                         std::vector<Prediction>& predictions);

struct Beside {
  std::string what, unit;
  double model = 0, counter = 0;

  double difference() const { return counter / model - 1; }
};

/// Operations, and bytes level by level, of a call of `batch` products, and the occupancy; what was not
/// counted, or the model says nothing of, is left out.
std::vector<Beside> beside_model(const Prediction& p, Index batch);

void print_counters(const std::vector<Prediction>& predictions, Index batch);

}  // namespace rooftile::perf
