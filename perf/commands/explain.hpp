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

/// Shared declarations of `rooftile explain`.
namespace rooftile::perf {

/// Model values, the measured rate and the hardware counters of one kernel.
struct Prediction {
  const Rung* rung = nullptr;
  bool repack = false;
  TileShape tile;
  std::string refusal;
  model::Traffic traffic;
  model::Attainable attainable;
  model::Occupancy occupancy;
  double divergence = 0;  ///< fraction of the warp-phases with a divergent bounds check
  double measured_gflops = 0;
  std::vector<Metric> counters{};  ///< empty: not counted
  double least_ms = 0;             ///< lower bound of a call by the roofline; 0: no peak is known
  double expected_ms = 0;          ///< cost model's time of a call, at least `least_ms`; 0: not known
  bool chosen = false;             ///< the kernel of the plan
  bool possible = true;            ///< fits the workspace; if repacking, has something to repack
};

std::string name_of(const Prediction& p);

/// GFLOP/s of the fastest units for the mode; 0: not known.
double peak_of(const model::Device& device, ComputeMode math);

/// The call whose kernels are predicted.
struct PredictedCall {
  const model::Device& device;
  const Target& target;
  GemmShape shape;  ///< as computed
  Index batch = 1;
  model::Count registers = 0;  ///< per thread; 0: not given
};

Prediction predict(const PredictedCall& call, const Rung& rung, TileShape tile, bool repack);
/// Predicts all kernels of the path, with all their tiles.
std::vector<Prediction> predict_all(const PredictedCall& call);

/// A team-level product to explain.
struct TeamQuestion {
  const std::string& math;
  GemmShape shape;
  const model::Device& device;
  double peak_gflops;  ///< peak of the fastest units for the mode; 0: not known
  bool json;
};

/// Prints how `team_gemm` computes the product. @throws Error for an unsupported mode
int explain_team(const TeamQuestion& asked);

struct ToCount {
  Product product;
  std::string path;
  ComputeMode math;
  const model::Device& device;
};

/// Reads the counters of one call of each kernel that runs here, with warm caches. Counters from a file are
/// kept.
/// @return why nothing was counted; empty if a kernel was counted
std::string add_counters(const ToCount& what, const std::string& measured,
                         std::vector<Prediction>& predictions);

struct Beside {
  std::string what, unit;
  double model = 0, counter = 0;

  double difference() const { return counter / model - 1; }
};

/// Modelled and counted values for a call of `batch` products: FLOP, bytes of each level, occupancy. A value
/// without model or counter is omitted.
std::vector<Beside> beside_model(const Prediction& p, Index batch);

void print_counters(const std::vector<Prediction>& predictions, Index batch);

struct Explained {
  std::string product;  ///< product, mode, device and path, in words
  const GemmPlan& plan;
  std::string why;   ///< why the plan takes its kernel, and the source of the choice
  Prediction taken;  ///< prediction for the plan's kernel
  const std::vector<Prediction>& predictions;
  const model::Device& device;
  const std::vector<GemmPlan>& next;  ///< the two plans with the next shortest times
  std::string costs;                  ///< the row of costs used for the times; empty: a CPU
};

/// The resources that limit the number of blocks on an SM: `threads+registers`.
std::string limiters(const model::Occupancy& occupancy);

/// Prints the plan in three lines, and the candidates.
/// @param all  print all values of all candidates and the refusals, instead of the best five
void print_explained(const Explained& x, bool all);

/// `rooftile explain --ranks`: a product that processes share.
struct RanksOptions {
  model::Count ranks = 0;     ///< number of processes; 0: not distributed
  std::string grid = "auto";  ///< process grid: auto, or rows x columns x layers
  double bandwidth_gbs = 50;  ///< bandwidth of each process
  double latency_us = 10;     ///< latency of a message
};

/// Adds the options of `--ranks`, after the options for products on one process.
void add_ranks_options(Arguments& app, RanksOptions& o);

/// Prints the grid of the product, the bytes that each process receives, and the limiting resource.
/// @param device  the device of each process
int explain_ranks(const RanksOptions& o, const std::string& math, const model::SharedProduct& product,
                  const std::string& device, double gflops, bool json);

}  // namespace rooftile::perf
