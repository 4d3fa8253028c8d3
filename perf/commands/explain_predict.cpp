// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "explain.hpp"
#include "plan/default_tile.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/model/divergence.hpp"

namespace rooftile::perf {
namespace {

/// Tensor cores multiply types below 32 bits, fp64 in warp-level MMA kernels, and on AMD also fp32. CPUs
/// convert 8-bit floats to fp32.
model::Ceilings ceilings_of(const model::Device& device, ComputeMode math, bool fragments) {
  const Mode& mode = mode_of(math);
  if (device.vendor == model::Vendor::cpu && mode.operand == Operand::fp8)
    return model::ceilings(device, Operand::fp32, model::Pipe::vector);
  const bool amd = device.vendor == model::Vendor::amd;
  const bool vector = mode.operand == Operand::fp64   ? !fragments
                      : mode.operand == Operand::fp32 ? !(fragments && amd)
                                                      : false;
  model::Ceilings roof =
      model::ceilings(device, mode.operand, vector ? model::Pipe::vector : model::Pipe::tensor);
  roof.peak_gflops /= mode.real_products();
  return roof;
}

/// Registers per thread: the given value, or the limit that the launch bounds of kernels with several
/// elements of C per thread imply. Other kernels need at most 32.
model::Count registers_of(const PredictedCall& call, TileShape tile) {
  if (call.registers > 0) return call.registers;
  const int teams = detail::teams_per_sm(tile, call.target.type());
  if (teams == 0) return 32;
  const model::SmLimits& limits = call.device.limits;
  return std::min<model::Count>(limits.thread_registers, limits.registers / (teams * tile.threads()) / 8 * 8);
}

/// Adds the bytes of C that elements of the type of A and B do not have.
void add_wider_result(model::Traffic& traffic, const GemmShape& shape, ComputeMode math) {
  const double wider =
      static_cast<double>(size_of(mode_of(math).result)) - static_cast<double>(size_of(type_of(math)));
  const double bytes = wider * static_cast<double>(shape.m) * static_cast<double>(shape.n);
  for (double* level : {&traffic.stored_bytes, &traffic.l1_bytes, &traffic.l2_bytes, &traffic.dram_bytes,
                        &traffic.dram_bytes_by_rows})
    *level += bytes;
}

}  // namespace

double peak_of(const model::Device& device, ComputeMode math) {
  return std::max(ceilings_of(device, math, false).peak_gflops, ceilings_of(device, math, true).peak_gflops);
}

Prediction predict(const PredictedCall& call, const Rung& rung, TileShape tile, bool repack) {
  const model::Device& device = call.device;
  const Target& target = call.target;
  const GemmShape& shape = call.shape;
  Prediction p{&rung, repack, tile, refusal(rung, shape, tile, target, repack).text, {}, {}, {}, 0, 0, {}};
  const model::Ceilings roof = ceilings_of(device, target.math, rung.is_warp_mma());
  if (p.refusal.empty() && roof.peak_gflops <= 0) {
    p.refusal = detail::text("no peak rate of the units that it multiplies on is known (", device.name, ")");
  }
  if (!p.refusal.empty()) return p;
  p.traffic = model::traffic(shape, tile, target.element_size(), device.limits.warp_size);
  p.traffic.flops = flops_of(shape, target.type());
  add_wider_result(p.traffic, shape, target.math);
  p.attainable = model::attainable(roof, p.traffic);
  p.least_ms = 1e-6 * static_cast<double>(call.batch) * p.traffic.flops / p.attainable.gflops;
  if (device.has_sm_limits()) {
    const auto registers = registers_of(call, tile);
    const auto shared = static_cast<model::Count>(detail::shared_bytes(rung, tile, target));
    p.occupancy = model::occupancy(device.limits, {threads_of_block(rung, tile), registers, shared});
    if (p.occupancy.blocks == 0) {
      p.refusal = detail::text("no block fits an SM (", threads_of_block(rung, tile), " threads of ",
                               registers, " registers, ", shared, " shared bytes, limited by ",
                               limiters(p.occupancy), "): take fewer registers or another tile");
    }
    // Kernels with panels predicate their copies, so that no branch diverges.
    if (tile.bk > 1 && rung.fits == Fits::any && !rung.has_panels()) {
      p.divergence = model::tiled_divergence(shape, tile.bm, device.limits.warp_size).fraction();
    }
  }
  return p;
}

std::vector<Prediction> predict_all(const PredictedCall& call) {
  const Target& target = call.target;
  std::vector<Prediction> predictions;
  for (const Rung& rung : ladder) {
    if (!rung.on(target.path)) continue;
    std::vector<TileShape> tiles(rung.tiles.begin(), rung.tiles.end());
    if (tiles.empty()) tiles.push_back(default_tile(rung, call.shape, target, call.batch));
    for (const bool repack : {false, true}) {
      if (repack && !rooftile::contains(rung.repacks, target.math)) continue;
      for (const TileShape tile : tiles) predictions.push_back(predict(call, rung, tile, repack));
    }
  }
  return predictions;
}

}  // namespace rooftile::perf
