// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "plan/costs/cost_model.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/ladder.hpp"

/// The cost model: predicts the time of a plan. docs/choosing.md derives the formulas.
namespace rooftile::detail {

/// Rounds the tiles along an extent up to a multiple of the cluster's.
constexpr Index clustered(Index tiles, int cluster) {
  return (tiles + cluster - 1) / cluster * cluster;
}
/// Returns the SMs that clusters can use. Clusters of 4 and 8 leave SMs of each GPC idle: they use 120 of the
/// 132 SMs of an H100.
constexpr Index clustered_sms(ClusterShape cluster, Index sms) {
  return cluster.size() > 2 ? std::max<Index>(sms * 10 / 11, 1) : sms;
}
/// The start-up cycles of a launch with clusters, and the bytes per cycle from L2 to all SMs by TMA. Measured
/// on an H100 (docs/choosing.md).
inline constexpr double cluster_start = 2600, l2_to_sms = 4050;

/// The panels that a block loads by TMA in a step of 128 bytes along K.
struct TmaPanels {
  double a = 0, b = 0;         ///< bytes
  double multiplications = 1;  ///< of each pair of panels: 1.5 in tf32x3, which skips one of four

  /// Returns the bytes from L2 for each block of a cluster.
  constexpr double feed(ClusterShape cluster) const { return a / cluster.n + b / cluster.m; }
  /// Returns the minimum cycles of a step: tensor cores, and the barriers of a stage.
  constexpr double step() const {
    constexpr double barriers = 170, rate = 0.8 / 524288;  // nominal: 128 cycles for 64 x 64 of C
    return barriers + rate * a * b * multiplications;
  }
};
TmaPanels tma_panels(const GemmPlan& plan);

/// The properties of a launch that determine its time.
struct PlannedWork {
  Index blocks = 0;          ///< thread blocks, or work items with TMA; without tiles of work units
  Index resident = 1;        ///< blocks per SM
  Index steps = 0;           ///< steps along K of a block
  Index units = 0;           ///< work units of stream-K
  double unit_steps = 0;     ///< steps along K of a work unit
  double repacked = 0;       ///< bytes that repacking reads and writes
  double partial = 0;        ///< bytes of partial sums that are read
  double tile_elements = 0;  ///< elements of C of a block
  ClusterShape cluster = {};
  double feed = 0;        ///< bytes per step that TMA loads from L2 for a block
  double bytes = 0;       ///< bytes of A, B and C
  bool ragged_c = false;  ///< rows of C are not aligned
  bool reads_c = false;
  /// Costs of reading a panel element, by threads or TMA (null: free), and the elements of a panel.
  model::ModeCost read_a = nullptr;
  model::ModeCost read_b = nullptr;
  double panel_a = 0, panel_b = 0;
};

/// Returns the cost of each element of a panel that threads copy; null: free.
constexpr model::ModeCost read_of(const OperandAlignment& x, bool fragments, Type type) {
  using M = model::ModeCosts;
  if (!fragments) {
    if (x.vectors(false)) return nullptr;
    return !x.k_major ? &M::unaligned_mn : x.whole ? &M::whole_k : &M::unaligned_k;
  }
  if (x.whole) return x.k_major ? nullptr : &M::whole_mn;
  if (is_16_bit(type) && x.pairs) return x.k_major ? &M::pairs_k : &M::pairs_mn;
  return x.k_major ? &M::ragged_k : &M::ragged_mn;
}

/// Returns the work of a launch. @param count  products in the launch
PlannedWork planned_work(const GemmPlan& plan, Index count);

/// Returns the time of two overlapping activities: the larger time, and up to 19 % more if both are similar.
inline double overlapped(double a, double b) {
  a *= a, b *= b;
  return std::sqrt(std::sqrt(a * a + b * b));
}

/// Returns the cycles of a launch, including repacking before it and adding partial sums after it.
double cycles_of(const model::ModeCosts& mode, const model::TileCosts& tile, const PlannedWork& work,
                 Index sms, bool tma);

/// The costs of a compute mode on a device. Steps scale with the rates of the device, bytes with its
/// bandwidth.
class ModeModel {
 public:
  ModeModel(const model::Costs& costs, Path path, ComputeMode math);

  /// Calls f(TileCosts) for each tile with costs in the mode.
  template <class F>
  void for_each_tile(const F& f) const {
    if (mode_ == nullptr) return;
    for (const model::TileCosts& costs : costs_.kernels.of(*mode_)) f(costs);
    if (like_ == nullptr) return;
    for (const model::TileCosts& costs : costs_.kernels.of(*like_)) {
      if (rung_of(costs.kernel).is_warp_mma()) f(costs);
    }
  }

  /// Returns the costs of a tile of a kernel; null: unknown.
  const model::TileCosts* find(Kernel kernel, TileShape tile) const;

  /// Returns the expected seconds of all launches of a plan. The peak rate of the units is a lower bound.
  /// @param costs  of the tile
  double seconds(const GemmPlan& plan, const model::TileCosts& costs, int sms) const;

  /// Returns a lower bound of the seconds of plans with a tile: its start and its steps along K on all SMs.
  double least_seconds(const GemmDesc& desc, const model::TileCosts& costs, int sms) const;

  /// Returns the cycles of 128 multiply-adds on the units that a kernel uses.
  static double rate_of(const model::Rates& rates, const Rung& rung, Type type);

 private:
  double clock() const { return costs_.clock_mhz / costs_.kernels.clock_mhz; }

  const model::Costs& costs_;
  const model::ModeCosts* mode_;
  const model::ModeCosts* like_;  ///< for fp32 on matrix instructions (AMD): the costs of tf32
  model::ModeCosts scaled_ = {};
};

}  // namespace rooftile::detail
