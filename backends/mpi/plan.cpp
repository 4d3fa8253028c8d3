// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/plan.hpp"

#include <algorithm>

#include "backends/mpi/panel_buffers.hpp"
#include "rooftile/error.hpp"

namespace rooftile::distributed {

namespace {

/// Of a panel, at most.
Index max_depth(const Operands& x, const Options& options) {
  if (options.depth != 0) return options.depth;
  return x.on_gpus ? usual_depth_on_gpus : usual_depth;
}

/// The grid of layers that the model takes for the fastest, of so many layers, or of more than one.
/// @param flat  what one layer takes
model::SharedCost best_layers(const Operands& x, const Options& options, double& flat) {
  const auto counted = [](Index extent) { return std::min<model::Count>(extent, model::unlimited); };
  const model::SharedProduct product{.m = counted(x.c_rows.extent),
                                     .n = counted(x.c_cols.extent),
                                     .k = counted(x.a_cols.extent),
                                     .element_bytes = static_cast<model::Count>(size_of(x.type)),
                                     .flops = 2.0 * real_multiply_adds(x.type),
                                     .depth = std::clamp<Index>(max_depth(x, options), 1, model::unlimited),
                                     .senders = x.grid.rows + x.grid.cols - 1};
  const int processes = x.grid.size();
  flat = model::shared_cost(product, options.process, x.grid.rows, x.grid.cols, processes).seconds;
  if (options.layers == 0) return model::best_grid(product, options.process, processes, 2);
  return model::best_grid_in_layers(product, options.process, processes, options.layers);
}

/// Bytes that the process which takes the most takes with panels of a depth.
std::size_t workspace_of(const Operands& x, const Division& division, Index depth) {
  std::size_t most = 0;
  for (int rank = 0; rank < x.grid.size(); ++rank) {
    const auto panels = [&](const Slice& outer, const Slice& inner, const Slice& wanted) {
      return x.on_gpus ? GpuPanelSizes::of(outer, inner, wanted, division, x.grid, rank, depth).all()
                       : PanelSizes::of(outer, inner, wanted, division, x.grid, rank, depth).all();
    };
    const SumSizes sums = SumSizes::of(x.c_rows, x.c_cols, division, x.grid, rank);
    const Index elements = sums.partial + std::max(panels(x.a_rows, x.a_cols, division.c_rows) +
                                                       panels(x.b_cols, x.b_rows, division.c_cols),
                                                   sums.sent + sums.received);
    most = std::max(most, static_cast<std::size_t>(elements));
  }
  return most * size_of(x.type) + (x.on_gpus ? padding_on_gpus : padding_of_buffers);
}

/// Sets depth, block, panels and workspace of a plan with layers. @return whether the workspace suffices
bool fit(Plan& plan, const Operands& x, const Options& options) {
  const Index steps = (plan.shape.k + plan.layers - 1) / plan.layers;  // of a layer
  plan.block = 1;
  const Division division = division_of(plan, x.c_rows, x.c_cols, x.a_cols);
  const auto fits = [&](Index depth) { return workspace_of(x, division, depth) <= options.workspace; };
  if (!fits(1)) {
    plan.workspace = workspace_of(x, division, 1);
    return false;
  }
  Index longest = 1;
  for (Index too_long = std::clamp<Index>(max_depth(x, options), 1, steps) + 1; longest + 1 < too_long;) {
    const Index middle = longest + (too_long - longest) / 2;
    (fits(middle) ? longest : too_long) = middle;
  }
  // Panels of one length; on layers in whole blocks: A's, where each layer gets enough of them.
  plan.panels = (steps + longest - 1) / longest;
  plan.depth = (steps + plan.panels - 1) / plan.panels;
  plan.block = plan.layers > 1 ? plan.depth : 0;
  constexpr Index enough = 8;
  const Index of_a = x.a_cols.dealing.block;
  if (plan.layers > 1 && of_a <= longest && of_a * enough <= steps) {
    plan.block = of_a;
    plan.depth = std::min((plan.depth + of_a - 1) / of_a, longest / of_a) * of_a;
  }
  // On GPUs in whole lines, of the first panel a quarter, so that little waits for the first messages.
  constexpr Index line = 128;
  const auto lines = [&](Index extent) {
    return extent < line ? extent : std::min((extent + line - 1) / line * line, longest);
  };
  if (x.on_gpus) plan.depth = lines(plan.depth);
  plan.first = x.on_gpus ? lines(std::max<Index>(plan.depth / 4, 1)) : plan.depth;
  const Index at_once = plan.depth * plan.layers, first = std::min(plan.first * plan.layers, plan.shape.k);
  plan.panels = 1 + (plan.shape.k - first + at_once - 1) / at_once;
  plan.workspace = workspace_of(x, division, plan.depth);
  return true;
}

/// Elements of an operand that pass from one process to another: all that are wanted, less those that are
/// there.
/// @param outer   the operand's dimension that C has, too
/// @param inner   its dimension along K
/// @param wanted  C's dimension, as it is computed
double elements_moved(const Slice& outer, const Slice& inner, const Slice& wanted, const Division& division,
                      const Grid& grid) {
  double moved = 0;
  for (int rank = 0; rank < grid.size() && division.computes(rank); ++rank) {
    const auto [layer, row, col] = division.place(rank);
    const auto here = [&](const Slice& slice) {
      return coordinate_of(slice, rank / grid.cols, rank % grid.cols);
    };
    const Index there =
        common(outer, processes_of(outer, grid), here(outer), wanted, processes_of(wanted, division.grid),
               coordinate_of(wanted, row, col)) *
        common(inner, processes_of(inner, grid), here(inner), division.k, division.layers, layer);
    moved += static_cast<double>(
        division.computed(wanted, rank) * division.steps(layer, 0, division.k.extent) - there);
  }
  return moved;
}

/// Elements of layers' parts of C that pass to another process.
double sums_moved(const Slice& c_rows, const Slice& c_cols, const Division& division, const Grid& grid) {
  double moved = 0;
  for (int rank = 0; division.layers > 1 && rank < grid.size() && division.computes(rank); ++rank) {
    const auto [layer, row, col] = division.place(rank);
    const auto there = [&](const Slice& c, const Slice& computed) {
      return common(c, processes_of(c, grid), coordinate_of(c, rank / grid.cols, rank % grid.cols), computed,
                    processes_of(computed, division.grid), coordinate_of(computed, row, col));
    };
    moved += static_cast<double>(division.computed(division.c_rows, rank) *
                                     division.computed(division.c_cols, rank) -
                                 there(c_rows, division.c_rows) * there(c_cols, division.c_cols));
  }
  return moved;
}

}  // namespace

Plan plan_product(const Operands& x, const Options& options) {
  Plan plan;
  plan.grid = plan.layer_grid = x.grid, plan.type = x.type;
  plan.shape = {x.c_rows.extent, x.c_cols.extent, x.a_cols.extent};
  const int processes = x.grid.size();
  if (options.layers < 0 || options.layers > processes) {
    throw Error(detail::text("no layers of these processes (", options.layers, " of ", processes,
                             "): take at most as many as there are processes, or 0"));
  }
  if (x.on_gpus && options.layers > 1) {
    throw Error(detail::text("no layers on GPUs (", options.layers, "): take 1, or 0"));
  }
  plan.in_place = processes == 1;
  const auto [m, n, k] = plan.shape;
  if (m == 0 || n == 0 || k == 0 || !x.reads || plan.in_place) return plan;

  const auto refuse = [&] {
    throw Error(detail::text("too little workspace for a distributed product (", options.workspace, " of ",
                             plan.workspace, " bytes): allow more, or take more processes",
                             options.layers > 1 ? " or fewer layers" : ""));
  };
  if (options.layers != 1 && !x.on_gpus) {
    double flat = 0;
    const model::SharedCost best = best_layers(x, options, flat);
    if (options.layers > 1 || best.seconds < flat) {
      plan.layers = static_cast<int>(best.layers);
      plan.layer_grid = {static_cast<int>(best.rows), static_cast<int>(best.cols)};
      if (fit(plan, x, options)) return plan;
      if (options.layers > 1) refuse();
      plan.layers = 1, plan.layer_grid = x.grid;
    }
  }
  if (!fit(plan, x, options)) refuse();
  return plan;
}

Plan explain(const Operands& x, const Options& options) {
  Plan plan = plan_product(x, options);
  if (plan.panels == 0) return plan;
  const Division division = division_of(plan, x.c_rows, x.c_cols, x.a_cols);
  plan.bytes_moved = static_cast<double>(size_of(plan.type)) *
                     (elements_moved(x.a_rows, x.a_cols, division.c_rows, division, x.grid) +
                      elements_moved(x.b_cols, x.b_rows, division.c_cols, division, x.grid) +
                      sums_moved(x.c_rows, x.c_cols, division, x.grid));
  return plan;
}

std::string to_string(const Plan& plan) {
  std::string head = detail::text(to_string(plan.shape), " ", to_string(plan.type), " on ", plan.grid.rows,
                                  "x", plan.grid.cols, " processes");
  if (plan.in_place) return head + ": where the operands lie";
  if (plan.layers > 1) {
    head += detail::text(" in ", plan.layers, " layers of ", plan.layer_grid.rows, "x", plan.layer_grid.cols);
  }
  return head + detail::text(": ", plan.panels, " panels of ", plan.depth, " along K, ", plan.workspace,
                             " bytes of workspace, ", plan.bytes_moved, " bytes moved");
}

}  // namespace rooftile::distributed
