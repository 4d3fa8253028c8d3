// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/predict.hpp"

#include <algorithm>
#include <utility>

#include "plan/register_blocks.hpp"

namespace rooftile::detail {

TmaPanels tma_panels(const GemmPlan& plan) {
  const bool complex_numbers = rooftile::is_complex(plan.desc.type);
  const double terms = mode_of(plan.math).terms > 1 ? 2 : 1;
  return {128.0 * plan.tile.bm, 128.0 * plan.tile.bn * (complex_numbers ? 2 : terms), terms > 1 ? 1.5 : 1};
}

namespace {

/// Returns the bytes that repacking of (rows,K) reads and writes, in whole tiles.
/// @param copies  copies that are written
double repacked_bytes(Index products, Index rows, Index k, Type type, int copies) {
  const auto size = static_cast<Index>(size_of(type)), width = std::min<Index>(64, 256 / size);
  const auto tiles = [width](Index extent) { return (extent + width - 1) / width; };
  return static_cast<double>(products) * static_cast<double>(tiles(rows) * tiles(k)) *
         static_cast<double>(width * width * size * (1 + copies));
}

}  // namespace

PlannedWork planned_work(const GemmPlan& plan, Index count) {
  const Rung& rung = rung_of(plan.kernel);
  const auto& [bm, bn, bk, tm, tn] = plan.tile;
  const Type type = plan.desc.type;
  const auto size = static_cast<double>(size_of(type));
  GemmShape c = plan.desc.shape;
  OperandAlignments lines = plan.desc.alignment;
  if (plan.swapped) std::swap(c.m, c.n), lines = lines.swapped();
  const auto products = static_cast<double>(count);
  const auto m = static_cast<double>(c.m), n = static_cast<double>(c.n), k = static_cast<double>(c.k);
  PlannedWork work;
  work.tile_elements = static_cast<double>(bm) * bn;
  work.bytes =
      products * (size * (m * k + n * k) + static_cast<double>(size_of(plan.desc.result_type)) * m * n);
  work.reads_c = plan.desc.reads_c;
  work.ragged_c = !plan.desc.result.rows;
  const auto repacked = [&](OperandPlan x, const OperandAlignment& l, Index rows, int copies) {
    return x.repack ? repacked_bytes(l.shared ? 1 : count, rows, c.k, type, copies) : 0;
  };
  if (rung.tma) {
    const Index step = std::max<Index>(1, 128 / static_cast<Index>(size_of(type)));
    const Index rows = (c.m + bm - 1) / bm, columns = (c.n + bn - 1) / bn;
    work.cluster = plan.cluster;
    work.blocks = count * clustered(rows, plan.cluster.m) * clustered(columns, plan.cluster.n) * plan.split_k;
    work.feed = tma_panels(plan).feed(plan.cluster);
    work.steps = plan.split_k > 1 ? plan.split_steps : (c.k + step - 1) / step;
    if (plan.split_k > 1)
      work.partial = products * static_cast<double>(plan.split_k) * m * n *
                     static_cast<double>(sizeof(float)) * (rooftile::is_complex(type) ? 2 : 1);
    const bool a_in_registers = type == Type::fp32 && (mode_of(plan.math).terms > 1 || !plan.a.k_major);
    const auto [rows_aligned, columns_aligned] = plan.desc.result;
    const bool by_rows = plan.swapped ? columns_aligned : rows_aligned;
    const bool by_columns = a_in_registers && (plan.swapped ? rows_aligned : columns_aligned);
    work.ragged_c = plan.split_k == 1 && !by_rows && !by_columns;
    work.reads_c = work.reads_c && plan.split_k == 1;
    const bool twice = mode_of(plan.math).terms > 1 || rung.complex_as_real;
    work.repacked = repacked(plan.a, lines.a, c.m, 1) + repacked(plan.b, lines.b, c.n, twice ? 2 : 1);
    if (!plan.a.k_major) work.read_a = &model::ModeCosts::mn_major_a;
    if (!plan.b.k_major) work.read_b = &model::ModeCosts::mn_major_b;
    work.panel_a = static_cast<double>(bm * step), work.panel_b = static_cast<double>(bn * step);
    return work;
  }
  work.steps = (c.k + bk - 1) / bk;
  if (rung.block_threads > 0) {
    const Index tiles = rung.block_threads / plan.tile.threads();
    work.blocks = (count + tiles - 1) / tiles;
    work.resident = 8;
    work.ragged_c = false;
    return work;
  }
  work.resident = std::max(1, teams_per_sm(plan.tile, type));
  work.blocks = count * tile_count(plan.tile, c);
  if (rung.split_k == SplitK::cluster) work.blocks *= plan.split_k, work.steps = plan.split_steps;
  if (rung.split_k == SplitK::stream_k) {
    const Stream& stream = plan.stream;
    work.blocks = stream.whole, work.units = stream.units;
    if (stream.units > 0)
      work.unit_steps = static_cast<double>(stream.shared) * static_cast<double>(stream.steps) / stream.units;
    work.partial = 2.0 * stream.sums() * work.tile_elements * static_cast<double>(accumulator_size(type));
  }
  work.repacked = repacked(plan.a, lines.a, c.m, 1) + repacked(plan.b, lines.b, c.n, 1);
  const bool fragments = has_fragments(rung, type);
  if (!plan.a.repack) work.read_a = read_of(lines.a, fragments, type);
  if (!plan.b.repack) work.read_b = read_of(lines.b, fragments, type);
  work.panel_a = static_cast<double>(bm * bk), work.panel_b = static_cast<double>(bn * bk);
  return work;
}

double cycles_of(const model::ModeCosts& mode, const model::TileCosts& tile, const PlannedWork& work,
                 Index sms, bool tma) {
  const auto panel = [&](model::ModeCost read, double elements) {
    return read == nullptr ? 0 : static_cast<double>(mode.*read) * elements;
  };
  if (tma) sms = clustered_sms(work.cluster, sms);
  const auto fed = static_cast<double>(std::min(work.blocks, sms));
  const double copies = panel(work.read_a, work.panel_a) + panel(work.read_b, work.panel_b);
  const auto step = [&](Index together) {
    if (tma) return overlapped(tile.step, work.feed * fed / l2_to_sms) + copies;
    const auto blocks = static_cast<double>(together);
    return overlapped(tile.step, tile.busy * blocks) + copies * blocks;
  };
  const float element = work.ragged_c && work.reads_c ? (tma ? mode.update_c_tma : mode.update_c)
                        : work.ragged_c               ? (tma ? mode.ragged_c_tma : mode.ragged_c)
                        : work.reads_c                ? (tma ? mode.read_c_tma : mode.read_c)
                                                      : 0;
  const double store = work.tile_elements * static_cast<double>(element);
  double cycles = tile.start + (work.cluster.size() > 1 ? cluster_start : 0);
  if (const Index each = (work.blocks + sms - 1) / sms; each > 0) {
    const Index full = each / work.resident, rest = each % work.resident;
    const auto steps = static_cast<double>(work.steps);
    constexpr double first_panels = 8;  // steps whose copies are not hidden
    cycles += first_panels * copies * static_cast<double>(each);
    cycles +=
        tile.start * mode.crowded * static_cast<double>(std::min(each, work.resident) - 1) +
        store * static_cast<double>(each) + tile.again * static_cast<double>(full - (rest > 0 ? 0 : 1)) +
        steps *
            (static_cast<double>(full) * (full > 0 ? step(work.resident) : 0) + (rest > 0 ? step(rest) : 0));
    if (work.units > 0) cycles += tile.again;
  }
  if (work.units > 0)
    cycles += work.unit_steps * step((work.units + sms - 1) / sms) + tile.again + mode.unit_start +
              work.partial / mode.unit_bytes;
  else if (work.partial > 0)
    cycles += mode.split_start + work.partial / mode.split_bytes;
  if (work.repacked > 0) cycles += mode.repack_start + work.repacked / mode.repack_bytes;
  constexpr double kept = 30e6;  // bytes of operands that stay in an L2 of 50 MB
  const double cached = std::min(work.bytes, kept);
  return overlapped(cycles,
                    mode.memory_start + cached / mode.l2_bytes + (work.bytes - cached) / mode.dram_bytes);
}

ModeModel::ModeModel(const model::Costs& costs, Path path, ComputeMode math)
    : costs_(costs),
      mode_(costs.kernels.in(path, math)),
      like_(math == ComputeMode::fp32 ? costs.kernels.in(path, ComputeMode::tf32) : nullptr) {
  if (mode_ == nullptr) return;
  scaled_ = *mode_;
  const double bytes = costs.bandwidth_gbs / costs.kernels.bandwidth_gbs / clock();
  for (model::ModeCost member :
       {&model::ModeCosts::repack_bytes, &model::ModeCosts::split_bytes, &model::ModeCosts::unit_bytes,
        &model::ModeCosts::l2_bytes, &model::ModeCosts::dram_bytes})
    scaled_.*member = static_cast<float>(scaled_.*member * bytes);
}

const model::TileCosts* ModeModel::find(Kernel kernel, TileShape tile) const {
  const model::TileCosts* found = nullptr;
  for_each_tile([&](const model::TileCosts& costs) {
    if (costs.kernel == kernel && costs.tile == tile) found = &costs;
  });
  return found;
}

double ModeModel::seconds(const GemmPlan& plan, const model::TileCosts& costs, int sms) const {
  const Rung& rung = rung_of(plan.kernel);
  const Type type = plan.desc.type;
  model::TileCosts tile = costs;
  const double factor =
      rate_of(costs_.rates, rung, type) / rate_of(costs_.kernels.rates, rung, type) / clock();
  tile.step = static_cast<float>(tile.step * factor), tile.busy = static_cast<float>(tile.busy * factor);
  const Index all = plan.desc.count * plan.desc.outer,
              count = std::clamp<Index>(plan.batch_chunk, 1, std::max<Index>(all, 1));
  const auto launches = static_cast<double>((all + count - 1) / count);
  const double cycles = launches * cycles_of(scaled_, tile, planned_work(plan, count), sms, rung.tma);
  const double multiply_adds =
      0.5 * plan.desc.shape.flops() * static_cast<double>(all) * real_multiply_adds(type);
  const double bound = multiply_adds * rate_of(costs_.rates, rung, type) / (128.0 * sms) / clock();
  return overlapped(cycles, bound) / (1e6 * costs_.kernels.clock_mhz);
}

double ModeModel::least_seconds(const GemmDesc& desc, const model::TileCosts& costs, int sms) const {
  const Rung& rung = rung_of(costs.kernel);
  const TileShape& tile = costs.tile;
  if (rung.block_threads > 0) return 0;
  const auto& [m, n, k] = desc.shape;
  const double elements =
      static_cast<double>(desc.count * desc.outer) * static_cast<double>(m) * static_cast<double>(n);
  const double blocks = elements / (static_cast<double>(tile.bm) * tile.bn);
  const double steps =
      static_cast<double>(k) * (rung.tma ? static_cast<double>(size_of(desc.type)) / 128 : 1.0 / tile.bk);
  const double busy = static_cast<double>(rung.tma ? costs.step : costs.busy) * blocks / sms;
  const double factor =
      rate_of(costs_.rates, rung, desc.type) / rate_of(costs_.kernels.rates, rung, desc.type) / clock();
  return (costs.start + factor * steps * busy) / (1e6 * costs_.kernels.clock_mhz);
}

double ModeModel::rate_of(const model::Rates& rates, const Rung& rung, Type type) {
  if (!rung.tma && !has_fragments(rung, type)) return rates.lanes * (multiplies_fp64(type) ? 2 : 1);
  if (size_of(type) == 1) return 0.5 * rates.matrix_16;  // equal bytes per cycle
  return multiplies_fp64(type) ? rates.matrix_fp64 : is_16_bit(type) ? rates.matrix_16 : rates.matrix_32;
}

}  // namespace rooftile::detail
