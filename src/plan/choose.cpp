// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/choose.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "plan/check.hpp"
#include "plan/check_scales.hpp"
#include "plan/default_tile.hpp"
#include "plan/describe.hpp"
#include "plan/int8_choice.hpp"
#include "plan/plan_residues.hpp"
#include "plan/plan_steps.hpp"
#include "plan/predict.hpp"
#include "plan/preferences.hpp"
#include "plan/refusal.hpp"
#include "plan/register_blocks.hpp"
#include "plan/validate_enum.hpp"
#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/tuning.hpp"

namespace rooftile::detail {

namespace {

/// Returns the reason for a kernel.
constexpr std::string_view why_of(Kernel kernel, bool repack) {
  if (repack)
    return "copying whole vectors of an operand gains more than repacking it costs; without memory for that, "
           "it is multiplied as it lies";
  if (rung_of(kernel).split_k == SplitK::stream_k)
    return "tiles shared along K keep the SMs busier, which saves more than the partial sums cost";
  if (rung_of(kernel).split_k == SplitK::cluster)
    return "K split over the blocks of a cluster keeps the SMs busier";
  return rung_of(kernel).preferred_for;
}

/// Whether batch entries can share a thread block. They cannot if each entry has its own launch.
bool can_share_blocks(const GemmDesc& desc, const Target& target) {
  return desc.count * desc.outer > 1 && (target.reads_pointers || !desc.by_pointers);
}

/// Whether the options and the scales allow a tile. Only promoting tiles multiply 8-bit floats by default.
bool takes_tile(const GemmDesc& desc, const GemmOptions& options, TileShape tile) {
  return desc.type != Type::fp8 || promotes_steps(tile) ||
         (options.fast_accumulation && !desc.has_scale_steps());
}

/// @throws Unsupported  if a GPU cannot compute a product with these scales, or with this tile
void check_float8(const GemmDesc& desc, const GemmOptions& options, const Target& target, TileShape tile) {
  if (desc.type != Type::fp8 || target.is_cpu()) return;
  if (desc.has_scale_steps() && scales_lines(desc.scales_a) && scales_lines(desc.scales_b)) {
    throw Unsupported(
        {Reason::mode,
         "scales vary along K and with the rows of A and the columns of B: give A or B scales for "
         "blocks of 128 rows or columns"});
  }
  if (tile && !takes_tile(desc, options, tile)) {
    throw Unsupported(
        {Reason::tile, text("tile sums all of K in the tensor cores (", to_string(tile),
                            "): ", desc.has_scale_steps() ? "scales vary along K" : "set fast_accumulation",
                            ", or take a tile of at most 128 columns")});
  }
}

/// Calls f(plan) for each kernel and tile with costs in the target's mode, with operands in place and, where
/// this may pay, repacked. Some plans may be unable to compute the product (`is_possible`).
/// @param options  `tile`: the only tile to consider; zero: all tiles
/// @param limit  seconds; plans that certainly take longer are skipped. f may lower it
template <class F>
void for_each_way(const GemmDesc& desc, const GemmOptions& options, const Target& target, const double& limit,
                  const F& f) {
  const TileShape tile = options.tile;
  if (target.sms == 0) return;
  const ModeModel model(target.costs, target.path, target.math);
  Kernel kernel = Kernel::automatic;
  bool here = false, may_repack = false;  // of `kernel`
  model.for_each_tile([&](const model::TileCosts& costs) {
    const Rung& rung = rung_of(costs.kernel);
    if (costs.kernel != kernel) {
      kernel = costs.kernel;
      here = computes(rung, target) && !(rung.tma && desc.by_pointers);
      may_repack = contains(rung.repacks, target.math) && !desc.by_pointers && desc.shape.k > 0 &&
                   !desc.alignment.all(rung.is_warp_mma());
    }
    if (!here || (tile && costs.tile != tile) || !takes_tile(desc, options, costs.tile) ||
        model.least_seconds(desc, costs, target.sms) > limit)
      return;
    if (rung.fits == Fits::one_tile &&
        (desc.shape.m > costs.tile.bm || desc.shape.n > costs.tile.bn || !can_share_blocks(desc, target)))
      return;
    for (const bool repack : {false, true}) {
      if (repack && !may_repack) continue;
      const Choice choice{costs.kernel, costs.tile, why_of(costs.kernel, repack), target.math, repack};
      f(kernel_plan_of(choice, desc, options.workspace, target, model, &costs));
    }
  });
}

/// Whether the kernel of a plan can compute the product with the allowed workspace.
bool is_possible(const GemmPlan& plan, const WorkspaceMemory& memory, const Target& target) {
  const bool splits = rung_of(plan.kernel).split_k != SplitK::cluster ||
                      plan.split_k > 1;  // without splits, other kernels apply
  return splits && plan.workspace <= memory.bytes &&
         refusal(rung_of(plan.kernel), plan.desc.shape, plan.tile, target, plan.repack, plan.desc.by_pointers)
             .empty();
}

/// Returns the fastest plan by the model; its kernel is `automatic` if there is none.
GemmPlan fastest_way(const GemmDesc& desc, const GemmOptions& options, const Target& target) {
  GemmPlan fastest;
  double least = std::numeric_limits<double>::infinity();
  for_each_way(desc, options, target, least, [&](const GemmPlan& plan) {
    if (plan.seconds < least && is_possible(plan, options.workspace, target))
      fastest = plan, least = plan.seconds;
  });
  return fastest;
}

/// Returns the most preferred kernel, for targets without costs.
Choice preferred(const GemmDesc& desc, const GemmOptions& options, const Target& target) {
  Refusal problem;  // of the last kernel, which has the fewest requirements
  for (const Rung* preferred : preferred_rungs) {
    const Rung& rung = *preferred;
    if (!computes(rung, target)) continue;
    if (rung.block_threads > 0 && !can_share_blocks(desc, target)) continue;
    const TileShape tile = options.tile ? options.tile : default_tile(rung, desc, target);
    const Refusal here = refusal(rung, desc.shape, tile, target, false, desc.by_pointers);
    // A refusal by a kernel for small batches must not advise a smaller C.
    if (rung.fits == Fits::one_tile && !here.empty()) continue;
    problem = here;
    const Choice choice{rung.kernel, tile, takes_residues(target.math) ? why_int8 : rung.preferred_for,
                        target.math};
    if (problem.empty() && plan_of(choice, desc, options, target).workspace > options.workspace.bytes) {
      problem = {Reason::workspace, text("no kernel computes in ", to_string(target.math),
                                         " with the workspace that is allowed: allow more")};
    }
    if (problem.empty()) return choice;
  }
  if (!problem.empty()) throw Unsupported(problem);
  const bool native = target.path == Path::native;
  throw Unsupported(
      {Reason::mode, text("no kernel computes in ", to_string(target.math), " here (", to_string(target.path),
                          " path", native ? ", compute capability " + capability_name(target.capability) : "",
                          "): ", instead(target))});
}

}  // namespace

}  // namespace rooftile::detail

namespace rooftile {

ComputeMode resolved(ComputeMode math, ComputeMode own) {
  detail::validate_enum(math);
  if (math == ComputeMode::automatic) return own;
  if (same_types(math, own)) return math;
  std::string known;
  for (const ComputeMode other : all_modes) {
    if (same_types(other, own)) known += (known.empty() ? "" : ", ") + std::string(to_string(other));
  }
  throw Error(detail::text("compute mode does not match the element type (", to_string(math), ", ",
                           to_string(type_of(own), mode_of(own).result), "): take one of ", known));
}

ComputeMode resolved(ComputeMode math, Type type) {
  return resolved(math, own_mode(type));
}

}  // namespace rooftile

namespace rooftile::detail {

namespace {

/// Returns the tuning table's choice for a single product. The kernel is `automatic` if there is no usable
/// entry.
Choice measured_choice(const GemmDesc& desc, const GemmOptions& options, const Target& target) {
  const TuningEntry* entry =
      options.tuning->on(target.device).nearest(target.path, target.math, desc.shape, tuning_layout(desc));
  if (entry == nullptr) return {};
  validate_enum(entry->kernel);
  if (entry->kernel == Kernel::automatic) return {};
  const Rung& rung = rung_of(entry->kernel);
  const TileShape tile = entry->tile ? entry->tile : default_tile(rung, desc, target, entry->repack);
  const Choice measured{entry->kernel, tile,          "measured: the fastest on this device",
                        target.math,   entry->repack, true};
  const bool fits = refusal(rung, desc.shape, tile, target, entry->repack, desc.by_pointers).empty() &&
                    plan_of(measured, desc, options, target).workspace <= options.workspace.bytes;
  return fits ? measured : Choice{};
}

}  // namespace

}  // namespace rooftile::detail

namespace rooftile {}  // namespace rooftile

namespace rooftile::detail {

GemmPlan choose(const GemmDesc& desc, const GemmOptions& options, Target target) {
  validate_enum(options.kernel);
  validate_enum(target.path);
  validate_enum(target.math);
  if (target.math == ComputeMode::automatic)
    throw Error("target without a compute mode (automatic): give it the element type's own mode");
  check_sizes(desc.shape, desc.count);
  if (options.math != ComputeMode::automatic) target.math = resolved(options.math, target.math);
  check_moduli(options.moduli, target.math);
  check_float8(desc, options, target, options.tile);
  if (options.kernel != Kernel::automatic) {
    const Rung& rung = rung_of(options.kernel);
    const TileShape tile = options.tile ? options.tile : default_tile(rung, desc, target, options.repack);
    if (const Refusal problem = refusal(rung, desc.shape, tile, target, options.repack, desc.by_pointers);
        !problem.empty())
      throw Unsupported(problem);
    return plan_of({options.kernel, tile, "named by the caller", target.math, options.repack}, desc, options,
                   target);
  }
  if (options.tuning != nullptr && !options.tile && desc.count * desc.outer == 1) {  // single products only
    const Choice measured = measured_choice(desc, options, target);
    if (measured.kernel != Kernel::automatic) return plan_of(measured, desc, options, target);
  }
  const auto in_mode = [&](ComputeMode math, std::string_view why, TileShape tile = {}) {
    Target other = target;
    other.math = math;
    GemmOptions with = options;
    with.math = math, with.tile = tile, with.moduli = 0, with.tuning = nullptr;
    GemmPlan plan = choose(desc, with, other);
    plan.why = why;
    return plan;
  };
  if (takes_residues(target.math)) {
    const ComputeMode own = own_mode(target.type());
    const std::string_view why = why_not_int8(desc.shape, target.path, target.type());
    if (!why.empty()) return in_mode(own, why, options.tile);
    try {
      GemmPlan residues = plan_of(preferred(desc, options, target), desc, options, target);
      if (!rung_of(residues.kernel).is_for_residues() || options.tile || options.moduli > 0 ||
          target.sms == 0)
        return residues;
      GemmPlan plain =
          in_mode(own, "fp64 itself takes less time: products of int8 would not pay for the rest");
      return plain.seconds < residues.seconds ? plain : residues;
    } catch (const Unsupported& refused) {
      if (refused.code() != Reason::workspace || options.tile || target.is_cpu()) throw;
      return in_mode(own, "fp64 itself: products of int8 take more workspace than is allowed");
    }
  }
  GemmPlan fastest = fastest_way(desc, options, target);
  if (target.math == ComputeMode::tf32x3 && !options.tile && (target.sms > 0 || desc.by_pointers)) {
    GemmPlan plain =
        in_mode(ComputeMode::fp32,
                desc.by_pointers
                    ? "fp32 itself: TMA, which feeds the three products, cannot follow arrays of pointers"
                : fastest.kernel == Kernel::automatic
                    ? "fp32 itself: three products take more workspace than is allowed"
                    : "fp32 itself takes less time: three products would not pay for their start");
    if (fastest.kernel == Kernel::automatic
            ? std::any_of(std::begin(ladder), std::end(ladder),
                          [&](const Rung& rung) { return computes(rung, target); })
            : plain.seconds < fastest.seconds)
      return plain;
  }
  if (fastest.kernel != Kernel::automatic) return fastest;
  return plan_of(preferred(desc, options, target), desc, options, target);
}

}  // namespace rooftile::detail

namespace rooftile {

GemmPlan choose(const GemmShape& shape, const GemmOptions& options, const Target& target, Index count) {
  detail::validate_enum(target.math);
  if (target.math == ComputeMode::automatic)
    return detail::choose(GemmDesc{shape}, options, target);  // throws
  return detail::choose(describe(shape, target.type(), count), options, target);
}

std::vector<GemmPlan> alternatives(const GemmDesc& desc, const GemmOptions& options, Target target) {
  if (options.math != ComputeMode::automatic) target.math = resolved(options.math, target.math);
  std::vector<GemmPlan> all;
  detail::for_each_way(desc, options, target, std::numeric_limits<double>::infinity(),
                       [&](const GemmPlan& plan) {
                         if (detail::is_possible(plan, options.workspace, target)) all.push_back(plan);
                       });
  std::stable_sort(all.begin(), all.end(),
                   [](const GemmPlan& x, const GemmPlan& y) { return x.seconds < y.seconds; });
  return all;
}

}  // namespace rooftile
