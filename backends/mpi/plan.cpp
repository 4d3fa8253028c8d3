// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/distributed/plan.hpp"

#include <algorithm>

#include "backends/mpi/panel_buffers.hpp"
#include "backends/mpi/runs.hpp"
#include "rooftile/error.hpp"

namespace rooftile::distributed {

namespace {

/// Elements of an operand that pass from one process to another. Those that a process of the group that wants
/// them holds need not come to it.
/// @param outer  the operand's dimension that C has, too
/// @param inner  its dimension along K
/// @param wanted  C's dimension: of a row or column of the grid that holds some of it, each process wants
/// them
double elements_moved(const Slice& outer, const Slice& inner, const Slice& wanted, const Grid& grid) {
  const int groups = processes_of(wanted, grid);
  const double k = static_cast<double>(inner.extent);
  double there = 0;
  for (int p = 0; p < groups; ++p) {
    there += outer.to_rows == wanted.to_rows
                 ? static_cast<double>(common(outer, groups, p, wanted, groups, p)) * k
                 : static_cast<double>(held(wanted, groups, p, 0, wanted.extent)) *
                       static_cast<double>(held(inner, groups, p, 0, inner.extent));
  }
  return static_cast<double>(outer.extent) * k * (grid.size() / groups) - there;
}

}  // namespace

Plan explain(const Operands& operands, const Options& options) {
  const auto& [grid, a_rows, a_cols, b_rows, b_cols, c_rows, c_cols, type, reads] = operands;
  Plan plan;
  plan.grid = grid, plan.shape = {c_rows.extent, c_cols.extent, a_cols.extent}, plan.type = type;
  plan.in_place = grid.size() == 1;
  const auto [m, n, k] = plan.shape;
  if (m == 0 || n == 0 || k == 0 || !reads || plan.in_place) return plan;

  std::size_t step_bytes = 1;  // along K, of the process that takes the most
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      const std::size_t step = PanelSizes::of(a_rows, c_rows, grid, row, col).bytes_per_step(type) +
                               PanelSizes::of(b_cols, c_cols, grid, row, col).bytes_per_step(type);
      step_bytes = std::max(step_bytes, step);
    }
  }
  const std::size_t limit = options.workspace > padding_of_panels ? options.workspace - padding_of_panels : 0;
  const Index wanted = std::clamp<Index>(options.depth, 1, k);
  const Index longest = static_cast<Index>(std::min(limit / step_bytes, static_cast<std::size_t>(wanted)));
  if (longest < 1) {
    throw Error(detail::text("too little workspace for a distributed product (", options.workspace, " of ",
                             step_bytes + padding_of_panels, " bytes): allow more, or take more processes"));
  }
  plan.panels = (k + longest - 1) / longest;
  plan.depth = (k + plan.panels - 1) / plan.panels;
  plan.workspace = static_cast<std::size_t>(plan.depth) * step_bytes + padding_of_panels;
  plan.bytes_moved = static_cast<double>(size_of(type)) * (elements_moved(a_rows, a_cols, c_rows, grid) +
                                                           elements_moved(b_cols, b_rows, c_cols, grid));
  return plan;
}

std::string to_string(const Plan& plan) {
  const std::string head = detail::text(to_string(plan.shape), " ", to_string(plan.type), " on ",
                                        plan.grid.rows, "x", plan.grid.cols, " processes: ");
  if (plan.in_place) return head + "where the operands lie";
  return head + detail::text(plan.panels, " panels of ", plan.depth, " along K, ", plan.workspace,
                             " bytes of workspace, ", plan.bytes_moved, " bytes moved");
}

}  // namespace rooftile::distributed
