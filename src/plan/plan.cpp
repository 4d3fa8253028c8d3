// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "plan/choose.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/plan_residues.hpp"
#include "plan/refusal.hpp"
#include "plan/register_blocks.hpp"
#include "plan/validate_enum.hpp"
#include "rooftile/ladder.hpp"
#include "rooftile/tuning.hpp"

namespace rooftile {

void detail::check_memory(const WorkspaceMemory& memory, const Target& target) {
  if (memory.data == nullptr) return;
  if (target.is_cpu())
    throw Error("workspace from the caller on a CPU, whose threads keep their own: leave it out");
  if (memory.bytes == std::numeric_limits<std::size_t>::max())
    throw Error("workspace from the caller without its size: give the number of bytes");
  if (reinterpret_cast<std::uintptr_t>(memory.data) % 128 != 0)
    throw Error(text("workspace not aligned (", memory.data, "): give it at a multiple of 128 bytes"));
}

GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, Target target) {
  const WorkspaceMemory& memory = options.workspace;
  if (options.tuning != nullptr)
    target.costs = model::costs_over(options.tuning->on(target.device), target.costs);
  detail::validate_enum(target.math);
  if (target.math != ComputeMode::automatic &&
      (target.type() != desc.type || mode_of(target.math).result != desc.result_type)) {
    throw Error(detail::text("target for another element type (products of ",
                             to_string(desc.type, desc.result_type), ", target of ",
                             to_string(target.type(), mode_of(target.math).result),
                             "): give it the products' type"));
  }
  detail::check_memory(memory, target);
  GemmPlan plan = choose(desc, options, target);
  if (plan.workspace > memory.bytes) {
    throw Unsupported(
        {Reason::workspace,
         detail::text("kernel takes more workspace than is allowed (", rung_of(plan.kernel).name, ", ",
                      plan.workspace, " of ", memory.bytes, " bytes): allow as much, or name no kernel")});
  }
  if (target.is_cpu()) detail::add_cpu_plan(plan, target.threads);
  return plan;
}

}  // namespace rooftile

namespace rooftile::detail {

namespace {

/// Checks a plan that a caller may have modified. @throws Error if it cannot compute its products here
void check_kernel(const GemmPlan& plan, Target target) {
  const Kernel kernel = plan.kernel;
  const ComputeMode math = plan.math;
  const TileShape tile = plan.tile;
  const GemmDesc& desc = plan.desc;
  validate_enum(kernel);
  validate_enum(math);
  if (kernel == Kernel::automatic || math == ComputeMode::automatic)
    throw Error("plan without a kernel or a mode (automatic): name both, or take a plan from explain");
  if (type_of(math) != desc.type || mode_of(math).result != desc.result_type) {
    throw Error(text("plan in a mode of another element type (", to_string(math), ", products in ",
                     to_string(desc.type, desc.result_type), "): take a mode of the products' type"));
  }
  target.math = math;
  const Rung& rung = rung_of(kernel);
  const auto has_tile = [&](const GroupTiles& x) {
    return x.type == desc.type && tile && (tile == x.large || tile == x.small);
  };
  if (plan.together && computes(rung, target)) {
    if (std::any_of(rung.groups.begin(), rung.groups.end(), has_tile)) return;
    throw Error(text("group plan with a tile that shares no launch (", rung.name, " ", to_string(tile),
                     "): take a plan from explain_grouped"));
  }
  if (const Refusal problem = refusal(rung, desc.shape, tile, target, plan.repack, desc.by_pointers);
      !problem.empty())
    throw Unsupported(problem);
  if (takes_residues(math)) check_residues(plan);
  if (rung.tma && desc.type == Type::fp8 && desc.has_scale_steps() && !promotes_steps(tile)) {
    throw Error(text("plan whose tile cannot apply scales that vary along K (", rung.name, " ",
                     to_string(tile), "): take a tile of at most 128 columns"));
  }
  if (rung.split_k == SplitK::stream_k &&
      plan.stream != stream_of(tile, desc.shape, target.sms, desc.type, plan.batch_chunk)) {
    throw Error(text("plan whose work units do not match its tile (", rung.name, " ", to_string(tile), ", ",
                     plan.stream.units, " units): take a plan from explain"));
  }
}

}  // namespace

void check_plan(const GemmPlan& plan, const GemmDesc& desc, const Target& target) {
  if (plan.path != target.path || plan.device != target.device) {
    throw Error(text("plan for another device (", plan.device, " on the ", to_string(plan.path),
                     " path, here is ", target.device, " on the ", to_string(target.path),
                     " path): make a plan here"));
  }
  GemmDesc described = desc;
  described.reads_c = plan.desc.reads_c;  // `reads_c` and crowded strides affect only the choice
  const auto crowd = [](CpuStrides& here, const CpuStrides& there) {
    here.crowded_row = there.crowded_row, here.crowded_col = there.crowded_col;
  };
  crowd(described.cpu_a, plan.desc.cpu_a), crowd(described.cpu_b, plan.desc.cpu_b);
  if (plan.desc != described) {
    const auto product = [](const GemmDesc& x) {
      return text(x.count * x.outer, " of ", to_string(x.shape), " in ", to_string(x.type, x.result_type));
    };
    throw Error(text("plan for other products (", product(plan.desc), ", here are ", product(desc),
                     plan.desc.shape == desc.shape ? ", with other operand layouts" : "",
                     "): make a plan for the products here"));
  }
  check_kernel(plan, target);
}

}  // namespace rooftile::detail
