// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_residues.hpp"

#include <algorithm>

#include "numerics/parts.hpp"
#include "plan/default_tile.hpp"
#include "plan/int8_choice.hpp"
#include "plan/plan_steps.hpp"
#include "plan/register_blocks.hpp"
#include "plan/residue_blocks.hpp"
#include "plan/residue_chunks.hpp"
#include "rooftile/ladder.hpp"

namespace rooftile::detail {

std::size_t residues_bytes(const GemmShape& shape, Index columns, Index threads, Type type) {
  return ResidueBlocks{shape, columns, residues::parts_of(type)}.bytes() * static_cast<std::size_t>(threads) +
         residue_scales_bytes(shape);
}

void plan_residues(GemmPlan& plan, int threads, std::size_t allowed) {
  const GemmShape& shape = plan.desc.shape;
  const auto bytes = [&](Index columns, Index count) {
    return residues_bytes(shape, columns, count, plan.desc.type);
  };
  plan.columns = ResidueBlocks::default_columns;
  while (plan.columns > ResidueBlocks::min_columns && bytes(plan.columns, 1) > allowed) plan.columns /= 2;
  const ResidueBlocks blocks{shape, plan.columns};
  const double parts = static_cast<double>(blocks.count_m()) * static_cast<double>(blocks.count_n());
  plan.threads = shape.k == 0 ? 1 : static_cast<int>(std::clamp<double>(parts, 1, threads));  // scales C
  while (plan.threads > 1 && bytes(plan.columns, plan.threads) > allowed) --plan.threads;
  plan.single_threaded = plan.threads == 1;
  plan.workspace = bytes(plan.columns, plan.threads);
}

namespace {

/// Plans fp64 from int8 products on a GPU.
void plan_residue_chunks(GemmPlan& plan, Target target, std::size_t allowed) {
  const auto& [shape, type, count, lines, result, by_pointers, result_type, outer, reads_c, cpu_a, cpu_b,
               scales_a, scales_b] = plan.desc;
  const Rung& fp64 = rung_with(Engine::warp_mma);
  const ResidueChunks chunks = ResidueChunks::within(allowed, shape, residues::products_of(type));
  plan.batch_chunk = shape.k == 0 ? count : 1;  // K = 0: one launch scales C
  plan.rows = chunks.rows, plan.columns = chunks.columns, plan.workspace = chunks.bytes();
  target.math = own_mode(type);
  GemmDesc one = plan.desc;
  one.count = one.outer = 1;
  plan.fallback = default_tile(fp64, one, target);
  plan.vectors = lines.a.vectors(fp64.is_warp_mma()) && lines.b.vectors(fp64.is_warp_mma());
  if (target.sms > 0) {
    const int moduli = plan.moduli > 0 ? plan.moduli : usual_moduli;
    plan.seconds = int8_seconds(target.costs, shape, target.sms, count * outer, moduli, type);
  }
}

}  // namespace

GemmPlan plan_of(const Choice& choice, const GemmDesc& desc, const GemmOptions& options,
                 const Target& target) {
  const ModeModel model(target.costs, target.path, choice.math);
  GemmPlan plan = kernel_plan_of(choice, desc, options.workspace, target, model);
  if (!takes_residues(plan.math)) return plan;
  plan.moduli = options.moduli;
  if (rung_of(plan.kernel).is_for_residues()) {
    plan_residue_chunks(plan, target, options.workspace.bytes);
  } else {
    plan_residues(plan, target.threads, options.workspace.bytes);
  }
  plan.memory = plan.workspace > 0 ? options.workspace.data : nullptr;
  return plan;
}

void check_residues(const GemmPlan& plan) {
  check_moduli(plan.moduli, plan.math);
  if (rung_of(plan.kernel).is_for_residues()) {
    const bool chunks = plan.rows > 0 && plan.columns > 0 &&
                        plan.workspace == ResidueChunks{plan.desc.shape, plan.rows, plan.columns,
                                                        residues::products_of(plan.desc.type)}
                                              .bytes();
    if (!chunks || !is_built(rung_with(Engine::warp_mma), plan.path, plan.fallback, plan.desc.type)) {
      throw Error(text("plan whose workspace does not match its chunks, or without an fp64 tile (",
                       plan.workspace, " bytes, ", plan.rows, " x ", plan.columns, " of C per chunk, tile ",
                       to_string(plan.fallback), "): take a plan from explain"));
    }
    return;
  }
  if (plan.columns < 1 || plan.threads < 1 ||
      plan.workspace != residues_bytes(plan.desc.shape, plan.columns, plan.threads, plan.desc.type)) {
    throw Error(text("plan whose workspace does not match its blocks (", plan.workspace, " bytes, ",
                     plan.threads, " threads, ", plan.columns, " columns): take a plan from explain"));
  }
}

}  // namespace rooftile::detail
