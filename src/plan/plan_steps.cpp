// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_steps.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "plan/check_scales.hpp"
#include "plan/refusal.hpp"
#include "plan/register_blocks.hpp"
#include "plan/workspace_parts.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile::detail {

namespace {

/// The operand order of a product for TMA: C = A·B or Cᵀ = Bᵀ·Aᵀ.
struct TmaRoles {
  GemmShape shape;
  OperandAlignments lines;
  ResultLines result;
  Type type;
  int parts;  ///< copies of B in the workspace; 2: big and small tf32 parts, or complex numbers

  constexpr TmaRoles swapped() const {
    return {{shape.n, shape.m, shape.k}, lines.swapped(), {result.columns, result.rows}, type, parts};
  }
  /// A is K-major, or M-major for 16 bits and fp32, which goes through registers. Complex and int8: K-major.
  constexpr OperandPlan a() const { return plan_of(lines.a, type == Type::fp32 || is_16_bit(type)); }
  /// B is K-major, or N-major for 16 bits.
  constexpr OperandPlan b() const {
    return parts == 2 ? OperandPlan{true, true} : plan_of(lines.b, is_16_bit(type));
  }

  constexpr std::size_t bytes(Index count) const {
    const auto of = [&](OperandPlan x, const OperandAlignment& l, Index rows, int copies) {
      return x.repack ? copies_bytes((l.shared ? 1 : count) * copies, rows, shape.k, size_of(type)) : 0;
    };
    return of(a(), lines.a, shape.m, 1) + of(b(), lines.b, shape.n, parts);
  }
  constexpr Index tiles(TileShape tile) const { return tile_count(tile, shape); }

 private:
  static constexpr OperandPlan plan_of(const OperandAlignment& x, bool takes_mn) {
    if (x.tma_k) return {false, true};
    if (takes_mn && x.tma_mn) return {false, false};
    return {true, true};
  }
};

/// Bytes of a step along K of kernels with TMA.
constexpr int warpgroup_step = 128;

/// The largest number of tiles in one launch of a kernel with TMA.
constexpr Index max_tma_tiles = std::numeric_limits<int>::max() / 2;

/// Returns the steps along K of a tile.
Index tma_steps(const GemmDesc& desc) {
  return (desc.shape.k * static_cast<Index>(size_of(desc.type)) + warpgroup_step - 1) / warpgroup_step;
}

}  // namespace

ClusterShape cluster_shape_of(const TmaPanels& panels, Index rows, Index columns, Index planes, Index steps,
                              int sms) {
  ClusterShape fastest;
  double least = std::numeric_limits<double>::infinity();
  for (const ClusterShape shape : cluster_shapes) {
    if ((shape.m > 1 && shape.m > rows) || (shape.n > 1 && shape.n > columns)) continue;
    const Index blocks = clustered(rows, shape.m) * clustered(columns, shape.n) * planes;
    const Index at_once = std::min<Index>(blocks, clustered_sms(shape, std::max(sms, 1)));
    const double waves = std::ceil(static_cast<double>(blocks) / static_cast<double>(at_once));
    const double cycles =
        (shape.size() > 1 ? cluster_start : 0) +
        waves * static_cast<double>(steps) *
            overlapped(panels.step(), panels.feed(shape) * static_cast<double>(at_once) / l2_to_sms);
    if (cycles < least) fastest = shape, least = cycles;
  }
  return fastest;
}

void set_tma_steps(GemmPlan& plan, bool swapped, Index splits, int sms) {
  const GemmDesc& desc = plan.desc;
  const bool complex_numbers = rooftile::is_complex(desc.type);
  const TmaRoles given{desc.shape, desc.alignment, desc.result, desc.type,
                       complex_numbers || mode_of(plan.math).terms > 1 ? 2 : 1};
  const TmaRoles roles = swapped ? given.swapped() : given;
  plan.swapped = swapped, plan.a = roles.a(), plan.b = roles.b();
  const Index steps = tma_steps(desc);
  plan.split_steps = (steps + splits - 1) / splits;
  plan.split_k = (steps + plan.split_steps - 1) / plan.split_steps;
  const Index ld = (roles.shape.n * (complex_numbers ? 2 : 1) + 3) / 4 * 4;
  const Index sums = plan.split_k > 1 ? plan.batch_chunk * plan.split_k * roles.shape.m * ld : 0;
  plan.workspace =
      roles.bytes(plan.batch_chunk) + WorkspaceParts::rounded(static_cast<std::size_t>(sums) * sizeof(float));
  const auto& [bm, bn, bk, tm, tn] = plan.tile;
  plan.cluster =
      cluster_shape_of(tma_panels(plan), (roles.shape.m + bm - 1) / bm, (roles.shape.n + bn - 1) / bn,
                       plan.batch_chunk * plan.split_k, plan.split_steps, sms);
}

bool stores_across_rows(const GemmPlan& plan) {
  return plan.swapped && planned_work(plan, 1).ragged_c;
}

namespace {

/// Plans a kernel with TMA by the model: operand order, repacking and splits of K. Both operand orders are
/// compared in fp32 only. Numbers of splits are compared by halving, from one that occupies all SMs.
void plan_for_tma(GemmPlan& plan, const Target& target, const ModeModel& model, const model::TileCosts* costs,
                  std::size_t allowed) {
  const GemmDesc& desc = plan.desc;
  const int parts = rooftile::is_complex(desc.type) || mode_of(plan.math).terms > 1 ? 2 : 1;
  const TmaRoles given{desc.shape, desc.alignment, desc.result, desc.type, parts};
  const Index tiles = std::max(given.tiles(plan.tile), given.swapped().tiles(plan.tile));
  const Index max_products = max_tma_tiles / std::max<Index>(tiles, 1);
  const auto bytes = [&](Index products) { return given.bytes(products); };
  plan.batch_chunk = std::min(
      desc.count, std::clamp<Index>(max_products, 1, batch_chunk_within(desc.count, bytes, allowed)));
  if (desc.shape.k == 0) {  // only C is scaled
    if (costs != nullptr) plan.seconds = model.seconds(plan, *costs, target.sms);
    return;
  }
  const auto rate = [&](bool swapped, Index splits) {
    set_tma_steps(plan, swapped, splits, target.sms);
    if (costs != nullptr) plan.seconds = model.seconds(plan, *costs, target.sms);
  };
  // The kernel multiplies each step by scales of rows; scales of single columns require the other order.
  const bool must_swap = desc.has_scale_steps() && scales_lines(desc.scales_b);
  rate(must_swap, 1);
  if (costs == nullptr) return;
  struct Way {
    bool swapped = false;
    Index splits = 1;
    double seconds;
  } fastest{.swapped = must_swap, .seconds = plan.seconds};
  constexpr Index shortest_split = 4;  // steps
  for (const bool swapped : {false, true}) {
    const TmaRoles roles = swapped ? given.swapped() : given;
    const bool other_order = desc.type == Type::fp32 && roles.bytes(1) <= given.bytes(1);
    if (swapped != must_swap && (must_swap || !other_order)) continue;
    const Index most = std::min(target.sms / std::max<Index>(roles.tiles(plan.tile) * plan.batch_chunk, 1),
                                tma_steps(desc) / shortest_split);
    const bool may_split = splits_k(plan.tile, desc.type);
    for (Index splits = may_split ? std::max<Index>(most, 1) : 1; splits > (swapped ? 0 : 1); splits /= 2) {
      rate(swapped, splits);
      if (stores_across_rows(plan) && !must_swap) continue;
      if ((splits == 1 || plan.workspace <= allowed) && plan.seconds < fastest.seconds)
        fastest = {swapped, splits, plan.seconds};
    }
  }
  set_tma_steps(plan, fastest.swapped, fastest.splits, target.sms);
  plan.seconds = fastest.seconds;
}

/// The numbers of blocks in a cluster. Sizes 3 and 6 would leave too many of the 16 or 18 SMs of a GPC idle.
constexpr Index cluster_sizes[] = {8, 4, 2};

}  // namespace

void set_cluster(GemmPlan& plan, Index splits) {
  const Index steps = std::max<Index>(1, (plan.desc.shape.k + plan.tile.bk - 1) / plan.tile.bk);
  plan.split_steps = (steps + splits - 1) / splits;
  plan.split_k = (steps + plan.split_steps - 1) / plan.split_steps;
}

bool has_splits(GemmPlan plan, Index splits) {
  return std::any_of(std::begin(cluster_sizes), std::end(cluster_sizes), [&](Index size) {
    set_cluster(plan, size);
    return plan.split_k == splits;
  });
}

namespace {

/// Selects the cluster size: the fastest by the model; without costs, the largest with which all blocks run
/// at a time.
void plan_clusters(GemmPlan& plan, const Target& target, const ModeModel& model,
                   const model::TileCosts* costs) {
  const Index tiles = tile_count(plan.tile, plan.desc.shape) * plan.batch_chunk;
  const Index room = Index{std::max(target.sms, 1)} * teams_per_sm(plan.tile, plan.desc.type);
  Index fastest = 1;
  double least = std::numeric_limits<double>::infinity();
  for (const Index size : cluster_sizes) {
    if (costs == nullptr && (size * tiles <= room || size == 2)) return set_cluster(plan, size);
    if (costs == nullptr) continue;
    set_cluster(plan, size);
    const double seconds = model.seconds(plan, *costs, target.sms);
    if (seconds < least) fastest = size, least = seconds;
  }
  set_cluster(plan, fastest);
}

/// Whether one launch may cover both dimensions of a batch. TMA tensors, small tiles and repacked operands
/// have one dimension. Teaching rungs and kernels without pointers have no registers left for a second one.
bool launches_both_dimensions(const Choice& choice, const Target& target) {
  const Rung& rung = rung_of(choice.kernel);
  return !target.is_cpu() && target.reads_pointers && rung.has_panels() && !rung.tma && !choice.repack;
}

}  // namespace

void plan_panels(GemmPlan& plan, int sms, std::size_t allowed) {
  const GemmShape& shape = plan.desc.shape;
  const OperandAlignments& lines = plan.desc.alignment;
  const Type type = plan.desc.type;
  const Index count = plan.desc.count, outer = plan.desc.outer;
  const Rung& rung = rung_of(plan.kernel);
  plan.repack = plan.repack && shape.k > 0 && !lines.all(rung.is_warp_mma());  // else nothing to repack
  plan.a = {plan.repack && !lines.a.vectors(rung.is_warp_mma()), lines.a.k_major};
  plan.b = {plan.repack && !lines.b.vectors(rung.is_warp_mma()), lines.b.k_major};
  plan.vectors = (plan.a.repack || lines.a.vectors(rung.is_warp_mma())) &&
                 (plan.b.repack || lines.b.vectors(rung.is_warp_mma()));
  const auto bytes = [&](Index products) {
    const auto of = [&](OperandPlan x, const OperandAlignment& l, Index width) {
      return x.repack ? copies_bytes(l.shared ? 1 : products, shape.k, width, size_of(type)) : 0;
    };
    return of(plan.a, lines.a, shape.m) + of(plan.b, lines.b, shape.n);
  };
  if (plan.repack) {
    plan.batch_chunk = std::min(count, batch_chunk_within(count, bytes, allowed));
    plan.workspace = bytes(plan.batch_chunk);
  }
  if (rung.split_k == SplitK::stream_k) {
    const Index max_products =
        std::numeric_limits<int>::max() / std::max<Index>(tile_count(plan.tile, shape), 1);
    const Index all = std::max(count, plan.batch_chunk);
    plan.batch_chunk = std::min(plan.batch_chunk, max_products);
    const bool whole = outer > 1 && plan.batch_chunk >= count;  // whole entries of the outer dimension
    if (whole) plan.batch_chunk -= plan.batch_chunk % count;
    plan.stream = stream_of(plan.tile, shape, sms, type, plan.batch_chunk);
    if (const Index rest = plan.batch_chunk > 0 ? (whole ? all : count) % plan.batch_chunk : 0; rest > 0)
      plan.stream_rest = stream_of(plan.tile, shape, sms, type, rest);
    const std::size_t sums = std::max(plan.stream.sums(), plan.stream_rest.sums());
    plan.workspace = sums * static_cast<std::size_t>(plan.tile.bm * plan.tile.bn) * accumulator_size(type);
  }
}

GemmPlan kernel_plan_of(const Choice& choice, const GemmDesc& desc, const WorkspaceMemory& memory,
                        const Target& target, const ModeModel& model, const model::TileCosts* costs) {
  GemmPlan plan{choice, desc, target.path, target.device};
  const Rung& rung = rung_of(plan.kernel);
  plan.batch_chunk = launches_both_dimensions(choice, target) ? desc.count * desc.outer : desc.count;
  if (desc.by_pointers && !target.reads_pointers) plan.batch_chunk = 1;
  if (rung.tma) {
    plan_for_tma(plan, target, model, costs, memory.bytes);
  } else if (rung.has_panels()) {
    plan_panels(plan, target.sms, memory.bytes);
  }
  if (rung.split_k == SplitK::cluster) plan_clusters(plan, target, model, costs);
  if (costs != nullptr && !rung.tma) plan.seconds = model.seconds(plan, *costs, target.sms);
  plan.memory = plan.workspace > 0 ? memory.data : nullptr;
  return plan;
}

GemmPlan kernel_plan_of(const Choice& choice, const GemmDesc& desc, const WorkspaceMemory& memory,
                        const Target& target, const ModeModel& model) {
  return kernel_plan_of(choice, desc, memory, target, model,
                        target.sms > 0 ? model.find(choice.kernel, choice.tile) : nullptr);
}

}  // namespace rooftile::detail
