// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../arguments.hpp"
#include "../measure/suite.hpp"
#include "plan/plan.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/model/device.hpp"
#include "rooftile/model/distributed.hpp"
#include "rooftile/model/occupancy.hpp"
#include "rooftile/model/roofline.hpp"
#include "rooftile/model/traffic.hpp"

/// The parts of `rooftile explain`.
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

/// A product in a team that is asked about.
struct TeamQuestion {
  const std::string& math;
  GemmShape shape;
  const model::Device& device;
  double peak_gflops;  ///< of the fastest units that multiply so; 0: not known
  bool json;
};

/// Prints how `team_gemm` computes it. @throws Error for a mode that it does not compute
int explain_team(const TeamQuestion& asked);

struct ToCount {
  Product product;
  std::string path;
  ComputeMode math;
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

/// `rooftile explain --ranks`: a product that processes share.
struct RanksOptions {
  model::Count ranks = 0;     ///< processes; 0: none share it
  std::string grid = "auto";  ///< of them: auto, or rows x columns x layers
  double bandwidth_gbs = 50;  ///< of a process
  double latency_us = 10;     ///< of a message
};

/// Adds them, behind the options of products that nobody shares.
void add_ranks_options(Arguments& app, RanksOptions& o);

/// Prints which grid the product gets, what each process of it receives, and what bounds it.
/// @param device  that each process has to itself
int explain_ranks(const RanksOptions& o, const std::string& math, const model::SharedProduct& product,
                  const std::string& device, double gflops, bool json);

}  // namespace rooftile::perf
