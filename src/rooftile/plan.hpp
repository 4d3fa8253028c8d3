// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "rooftile/choose.hpp"
#include "rooftile/describe.hpp"
#include "rooftile/detail/plan_residues.hpp"
#include "rooftile/detail/workspace_parts.hpp"
#include "rooftile/gemm_plan.hpp"

namespace rooftile {

namespace detail {

/// Columns of the tiles of `warpgroup`, or `warpgroup_1m`, whose work may be split along K.
constexpr int narrowest_warpgroup(Type type) {
  return rooftile::is_complex(type) ? 32 : 64;
}
/// Rows of all their tiles, and bytes of a step along K.
inline constexpr int warpgroup_rows = 128, warpgroup_step = 128;

/// Steps of K that one split takes: all of them, unless the tiles are few and K is long.
/// @param narrow  whether the tiles are the narrowest
constexpr Index split_of_k(Index tiles, Index steps, bool narrow, int sms) {
  constexpr Index long_k = 16, shortest_split = 4;  // for the sum of the splits to be cheap beside them
  if (!narrow || tiles * 2 > sms || steps < long_k) return steps;
  const Index splits = std::min(sms / tiles, steps / shortest_split);
  return (steps + splits - 1) / splits;
}

/// Tiles of one launch that TMA's kernels count.
inline constexpr Index max_tma_tiles = std::numeric_limits<int>::max() / 2;

/// One of the two ways to name the factors of a product for TMA, C = A·B and Cᵀ = Bᵀ·Aᵀ.
struct TmaRoles {
  GemmShape shape;
  VectorCopies lines;
  ResultLines result;
  Type type;
  int parts;  ///< 2: B is split into big and small tf32 parts, or of complex numbers twice, in the workspace

  constexpr TmaRoles swapped() const {
    return {{shape.n, shape.m, shape.k}, lines.swapped(), {result.columns, result.rows}, type, parts};
  }
  /// A is read along K or, fp32 through registers, along M; complex numbers along K.
  constexpr OperandPlan a() const { return plan_of(lines.a, !rooftile::is_complex(type)); }
  /// fp32 B is read along K.
  constexpr OperandPlan b() const {
    return parts == 2 ? OperandPlan{true, true} : plan_of(lines.b, is_16_bit(type));
  }

  constexpr std::size_t bytes(Index count) const {
    const auto of = [&](OperandPlan x, const OperandLines& l, Index rows, int copies) {
      return x.repack ? copies_bytes((l.shared ? 1 : count) * copies, rows, shape.k, size_of(type)) : 0;
    };
    return of(a(), lines.a, shape.m, 1) + of(b(), lines.b, shape.n, parts);
  }
  constexpr Index tiles(int bn) const { return tile_count({warpgroup_rows, bn}, shape); }
  /// Where fp32 A goes through registers, the kernel stores columns, too.
  constexpr bool stores_columns() const {
    return type == Type::fp32 && (parts == 2 || !a().k_major) && result.columns;
  }

 private:
  static constexpr OperandPlan plan_of(const OperandLines& x, bool takes_mn) {
    if (x.tma_k) return {false, true};
    if (takes_mn && x.tma_mn) return {false, false};
    return {true, true};
  }
};

/// Fills in what the kernels that TMA feeds do: which factor is which, what is repacked, how K is split. Of
/// the two ways to name the factors it is the one that needs less of the workspace, if it has no more tiles;
/// to 16-bit operands both are alike, and of complex numbers C's rows are stored.
/// @param allowed  bytes of workspace, which K is not split beyond, nor entries computed together
inline void plan_for_tma(GemmPlan& plan, int sms, std::size_t allowed) {
  const auto& [shape, type, count, lines, result, by_pointers, result_type, outer] = plan.desc;
  const bool complex_numbers = rooftile::is_complex(type);
  const TmaRoles given{shape, lines, result, type, complex_numbers || mode_of(plan.math).terms > 1 ? 2 : 1},
      other = given.swapped();
  const int bn = plan.tile.bn;
  const Index tiles = given.tiles(bn), other_tiles = other.tiles(bn);
  const Index max_products = max_tma_tiles / std::max<Index>(std::max(tiles, other_tiles), 1);
  const auto bytes = [&](Index products) { return given.bytes(products); };
  plan.at_a_time =
      std::min(count, std::clamp<Index>(max_products, 1, products_at_a_time(count, bytes, allowed)));
  if (shape.k == 0) return;  // C is scaled
  const Index steps = (shape.k * static_cast<Index>(size_of(type)) + warpgroup_step - 1) / warpgroup_step;
  const auto steps_of_split = [&](Index of_one) {
    return split_of_k(of_one * plan.at_a_time, steps, bn == narrowest_warpgroup(type), sms);
  };
  plan.swapped = type == Type::fp32 && (steps_of_split(other_tiles) < steps || other.stores_columns()) &&
                 other.bytes(plan.at_a_time) < given.bytes(plan.at_a_time) && other_tiles <= tiles;
  const TmaRoles& roles = plan.swapped ? other : given;
  plan.a = roles.a(), plan.b = roles.b();
  const auto split = [&](Index of_split) {
    plan.split_steps = of_split;
    plan.splits = (steps + of_split - 1) / of_split;
    const Index ld = (roles.shape.n * (complex_numbers ? 2 : 1) + 3) / 4 * 4;
    const Index sums = plan.splits > 1 ? plan.at_a_time * plan.splits * roles.shape.m * ld : 0;
    plan.workspace =
        roles.bytes(plan.at_a_time) + WorkspaceParts::rounded(static_cast<std::size_t>(sums) * sizeof(float));
  };
  split(steps_of_split(plan.swapped ? other_tiles : tiles));
  if (plan.workspace > allowed) split(steps);
}

/// Whether a launch of a rung may be of both dimensions of a batch. TMA's tensors have no more, small tiles
/// ask where each element lies, what is repacked lies in one, and teaching rungs, like all that read no
/// pointers, have no registers left.
inline bool launches_both_dimensions(const Choice& choice, const Target& target) {
  const Rung& rung = rung_of(choice.kernel);
  return !target.is_cpu() && target.reads_pointers && rung.max_stages > 0 && !rung.tma && !choice.repack;
}

/// The same of the rungs whose threads copy panels.
inline void plan_panels(GemmPlan& plan, int sms, std::size_t allowed) {
  const auto& [shape, type, count, lines, result, by_pointers, result_type, outer] = plan.desc;
  const Rung& rung = rung_of(plan.kernel);
  plan.repack =
      plan.repack && shape.k > 0 && !lines.all_stay(rung.fragments, type);  // else there is nothing to
  plan.a = {plan.repack && !lines.a.stays(rung.fragments, type), lines.a.k_major};
  plan.b = {plan.repack && !lines.b.stays(rung.fragments, type), lines.b.k_major};
  plan.vectors = (plan.a.repack || lines.a.vectors(rung.fragments)) &&
                 (plan.b.repack || lines.b.vectors(rung.fragments));
  const auto bytes = [&](Index products) {
    const auto of = [&](OperandPlan x, const OperandLines& l, Index width) {
      return x.repack ? copies_bytes(l.shared ? 1 : products, shape.k, width, size_of(type)) : 0;
    };
    return of(plan.a, lines.a, shape.m) + of(plan.b, lines.b, shape.n);
  };
  if (plan.repack) {
    plan.at_a_time = std::min(count, products_at_a_time(count, bytes, allowed));
    plan.workspace = bytes(plan.at_a_time);
  }
  if (rung.shares_tiles) {
    const Index max_products =
        std::numeric_limits<int>::max() / std::max<Index>(tile_count(plan.tile, shape), 1);
    const Index all = std::max(count, plan.at_a_time);
    plan.at_a_time = std::min(plan.at_a_time, max_products);
    const bool whole = outer > 1 && plan.at_a_time >= count;  // entries of the outer dimension
    if (whole) plan.at_a_time -= plan.at_a_time % count;
    plan.stream = stream_of(plan.tile, shape, sms, type, plan.at_a_time);
    std::size_t sums = plan.stream.sums();
    if (const Index rest = plan.at_a_time > 0 ? (whole ? all : count) % plan.at_a_time : 0; rest > 0)
      sums = std::max(sums, std::size_t{stream_of(plan.tile, shape, sms, type, rest).sums()});
    plan.workspace = sums * static_cast<std::size_t>(plan.tile.bm * plan.tile.bn) * sum_size(type);
  }
}

/// The steps of a kernel that was chosen. It may take more workspace than the caller allows.
inline GemmPlan plan_of(const Choice& choice, const GemmDesc& desc, const GemmOptions& options,
                        const Target& target) {
  const WorkspaceMemory& memory = options.workspace;
  GemmPlan plan{choice, desc, target.path, target.device};
  if (takes_residues(plan.math)) plan.moduli = options.moduli;
  const Rung& rung = rung_of(plan.kernel);
  const bool both = launches_both_dimensions(choice, target);
  const Index of_launch = both ? desc.count * desc.outer : desc.count;
  plan.at_a_time = desc.by_pointers && !target.reads_pointers ? 1 : of_launch;
  if (rung.tma) {
    plan_for_tma(plan, target.sms, memory.bytes);
  } else if (rung.max_stages > 0) {
    plan_panels(plan, target.sms, memory.bytes);
    if (target.sms > 0) {
      plan.cycles = static_cast<double>(both ? 1 : desc.outer) *
                    predicted_cycles(plan, desc.shape, target, of_launch, desc.lines);
    }
  }
  if (plan.kernel == Kernel::warpgroup_int8) {
    plan_residue_chunks(plan, target, memory.bytes);
  } else if (takes_residues(plan.math)) {
    plan_residues(plan, target.threads, memory.bytes);
  }
  plan.memory = plan.workspace > 0 ? memory.data : nullptr;
  return plan;
}

/// @throws Error where memory of the caller cannot be a workspace
inline void check_memory(const WorkspaceMemory& memory, const Target& target) {
  if (memory.data == nullptr) return;
  if (target.is_cpu())
    throw Error("workspace from the caller on a CPU, whose threads keep their own: leave it out");
  if (memory.bytes == std::numeric_limits<std::size_t>::max())
    throw Error("workspace from the caller without its size: name its bytes");
  if (reinterpret_cast<std::uintptr_t>(memory.data) % 128 != 0)
    throw Error(text("workspace not aligned (", memory.data, "): give it at a multiple of 128 bytes"));
}

}  // namespace detail

/// Kernel, tile and steps for products: `choose` has the kernel.
/// @param target  whose costs give way to those that a tuning table of `options` has
/// @throws Error as `choose`, where the target is for elements of another type, for another device's table,
/// and where a named kernel takes more workspace than `options` allows
inline GemmPlan plan(const GemmDesc& desc, const GemmOptions& options, Target target) {
  const WorkspaceMemory& memory = options.workspace;
  if (options.tuning != nullptr) target.costs = options.tuning->on(target.device).costs_over(target.costs);
  detail::require_known(target.math);
  if (target.math != Math::automatic &&
      (target.type() != desc.type || mode_of(target.math).result != desc.result_type)) {
    throw Error(detail::text("target for another element type (products of ",
                             to_string(desc.type, desc.result_type), ", target of ",
                             to_string(target.type(), mode_of(target.math).result),
                             "): give it the products' own"));
  }
  detail::check_memory(memory, target);
  const auto fits = [&](const Choice& choice) {
    return memory == WorkspaceMemory{} ||
           detail::plan_of(choice, desc, options, target).workspace <= memory.bytes;
  };
  const auto choice_for = [&](Index count) {
    return choose(desc.shape, options, target, count, desc.lines, desc.result, desc.by_pointers, fits);
  };
  Choice choice = choice_for(target.is_cpu() ? desc.count : desc.count * desc.outer);
  if (desc.outer > 1 && !detail::launches_both_dimensions(choice, target)) choice = choice_for(desc.count);
  GemmPlan plan = detail::plan_of(choice, desc, options, target);
  if (plan.workspace > memory.bytes) {
    throw Refused({Lack::workspace, detail::text("kernel takes more workspace than is allowed (",
                                                 rung_of(plan.kernel).name, ", ", plan.workspace, " of ",
                                                 memory.bytes, " bytes): allow as much, or name no kernel")});
  }
  return plan;
}

namespace detail {

/// @throws Error where a plan names what does not compute its products there, as one that somebody changed
/// may
inline void check_kernel(const GemmPlan& plan, Target target) {
  const auto& [kernel, math, tile, desc] = std::tie(plan.kernel, plan.math, plan.tile, plan.desc);
  require_known(kernel);
  require_known(math);
  if (kernel == Kernel::automatic || math == Math::automatic)
    throw Error("plan without a kernel or a mode (automatic): name one, or take a plan of explain");
  if (type_of(math) != desc.type || mode_of(math).result != desc.result_type) {
    throw Error(text("plan in a mode of other elements (", to_string(math), ", products in ",
                     to_string(desc.type, desc.result_type), "): take one of theirs"));
  }
  target.math = math;
  const Rung& rung = rung_of(kernel);
  const auto has_tile = [&](const GroupTiles& x) {
    return x.type == desc.type && tile && (tile == x.large || tile == x.small);
  };
  if (plan.together && computes(rung, target)) {
    if (std::any_of(rung.groups.begin(), rung.groups.end(), has_tile)) return;
    throw Error(text("plan of a group in a tile that shares no launches (", rung.name, " ", to_string(tile),
                     "): take a plan of explain_grouped"));
  }
  if (const Refusal problem = refusal(rung, desc.shape, tile, target, plan.repack, desc.by_pointers);
      !problem.empty())
    throw Refused(problem);
  if (takes_residues(math)) check_residues(plan);
}

/// @throws Error where a plan is not one for such products there
inline void check_plan(const GemmPlan& plan, const GemmDesc& desc, const Target& target) {
  if (plan.path != target.path || plan.device != target.device) {
    throw Error(text("plan for another device (", plan.device, " on the ", to_string(plan.path),
                     " path, here is ", target.device, " on the ", to_string(target.path),
                     " path): make one here"));
  }
  if (plan.desc != desc) {
    const auto product = [](const GemmDesc& x) {
      return text(x.count * x.outer, " of ", to_string(x.shape), " in ", to_string(x.type, x.result_type));
    };
    throw Error(text("plan for other products (", product(plan.desc), ", here are ", product(desc),
                     plan.desc.shape == desc.shape ? ", whose operands lie otherwise" : "",
                     "): make one of these"));
  }
  check_kernel(plan, target);
}

}  // namespace detail

}  // namespace rooftile
