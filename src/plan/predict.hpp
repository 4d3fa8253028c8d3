// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "plan/costs/cost_model.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/ladder.hpp"

/// How long a plan takes. docs/choosing.md derives the formulas.
namespace rooftile::detail {

/// Tiles that clusters of so many round an extent up to.
constexpr Index clustered(Index tiles, int cluster) {
  return (tiles + cluster - 1) / cluster * cluster;
}
/// SMs that clusters run on: those of 4 and 8 leave some of each GPC idle (120 of an H100's 132).
constexpr Index clustered_sms(ClusterShape cluster, Index sms) {
  return cluster.size() > 2 ? std::max<Index>(sms * 10 / 11, 1) : sms;
}
/// Cycles by which a launch of clusters starts and ends later, and bytes that all SMs get from L2 in a cycle
/// by TMA. Measured on an H100 (docs/choosing.md).
inline constexpr double cluster_start = 2600, l2_to_sms = 4050;

/// The panels that a block reads by TMA in a step along K of 128 bytes.
struct TmaPanels {
  double a = 0, b = 0;         ///< bytes
  double multiplications = 1;  ///< of each pair: 1.5 in tf32x3, which skips one of four

  /// Bytes from L2 for each block of a cluster.
  constexpr double feed(ClusterShape cluster) const { return a / cluster.n + b / cluster.m; }
  /// Cycles that the tensor cores need at least, and those that the barriers of a stage take.
  constexpr double step() const {
    constexpr double barriers = 170, rate = 0.8 / 524288;  // 64 x 64 elements of C take 128 cycles a step
    return barriers + rate * a * b * multiplications;
  }
};
TmaPanels tma_panels(const GemmPlan& plan);

/// The work of a launch, as far as its time depends on it.
struct PlannedWork {
  Index blocks = 0;          ///< of threads, or work items of TMA's kernels; without those of split tiles
  Index resident = 1;        ///< blocks that share an SM
  Index steps = 0;           ///< along K, of a block
  Index units = 0;           ///< stream-K's work units
  double unit_steps = 0;     ///< along K, of a unit
  double repacked = 0;       ///< bytes that repacking reads and writes
  double partial = 0;        ///< bytes of partial sums that are read
  double tile_elements = 0;  ///< of C, of a block
  ClusterShape cluster = {};
  double feed = 0;        ///< bytes that a block reads from L2 in a step, where TMA feeds
  double bytes = 0;       ///< of A, B and C
  bool ragged_c = false;  ///< C's rows are not aligned
  bool reads_c = false;
  /// How threads, or TMA, read the panels, and how many elements a step has; null: for free.
  model::ModeCost read_a = nullptr;
  model::ModeCost read_b = nullptr;
  double panel_a = 0, panel_b = 0;
};

/// The figure that threads pay for each element of a panel that they copy; null: none.
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

/// @param count  of products in a launch
PlannedWork planned_work(const GemmPlan& plan, Index count);

/// The larger of two times, and somewhat more where they are alike.
inline double overlapped(double a, double b) {
  a *= a, b *= b;
  return std::sqrt(std::sqrt(a * a + b * b));
}

/// Cycles of a launch, and of repacking before and adding partial sums after it.
double cycles_of(const model::ModeCosts& mode, const model::TileCosts& tile, const PlannedWork& work,
                 Index sms, bool tma);

/// The figures of a mode on a device: its steps by the device's rates, its bytes by its bandwidth.
class ModeModel {
 public:
  ModeModel(const model::Costs& costs, Path path, ComputeMode math);

  /// Calls f(TileCosts) for each tile with figures; none: nothing was measured in the mode.
  template <class F>
  void for_each_tile(const F& f) const {
    if (mode_ == nullptr) return;
    for (const model::TileCosts& costs : costs_.kernels.of(*mode_)) f(costs);
    if (like_ == nullptr) return;
    for (const model::TileCosts& costs : costs_.kernels.of(*like_)) {
      if (rung_of(costs.kernel).is_warp_mma()) f(costs);
    }
  }

  /// The figures of a kernel's tile; null: there are none.
  const model::TileCosts* find(Kernel kernel, TileShape tile) const;

  /// Seconds of all launches of a plan, which the multiply-adds of its units bound, too.
  /// @param costs  of its tile
  double seconds(const GemmPlan& plan, const model::TileCosts& costs, int sms) const;

  /// Seconds that no plan with the tile falls below: of its start and its steps along K on all SMs.
  double least_seconds(const GemmDesc& desc, const model::TileCosts& costs, int sms) const;

  /// Cycles of 128 multiply-adds by the units that a kernel multiplies on.
  static double rate_of(const model::Rates& rates, const Rung& rung, Type type);

 private:
  double clock() const { return costs_.clock_mhz / costs_.kernels.clock_mhz; }

  const model::Costs& costs_;
  const model::ModeCosts* mode_;
  const model::ModeCosts* like_;  ///< for fp32 by matrix instructions, which NVIDIA's GPUs lack
  model::ModeCosts scaled_ = {};
};

}  // namespace rooftile::detail
