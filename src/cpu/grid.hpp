// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "plan/cpu_plan.hpp"
#include "rooftile/matrix.hpp"

/// The division of a product among the threads of a team.
namespace rooftile::portable {

using detail::ceil_div;

/// [begin,end)
struct Range {
  Index begin;
  Index end;

  constexpr Index size() const { return end - begin; }
};

/// Part `i` of `count` of [0,extent). Each part but the last is a multiple of `unit`.
constexpr Range part(Index extent, Index unit, Index count, Index i) {
  if (count == 1) return {0, extent};  // avoids the divisions, which slow down small products
  const Index units = ceil_div(extent, unit);
  return {std::min(extent, units * i / count * unit), std::min(extent, units * (i + 1) / count * unit)};
}

/// Threads by rows and columns of C.
struct Grid {
  int rows;
  int cols;
};

/// The largest part of the rows or columns of a thread. The last part may end with an incomplete unit.
constexpr Index longest_part(Index extent, Index unit, Index count) {
  if (count == 1) return extent;
  const Index units = ceil_div(extent, unit), whole = units / count + (units % count > 1 ? 1 : 0);
  return std::max(whole * unit, part(extent, unit, count, count - 1).size());
}

/// The grid with the shortest time of its slowest thread. The time counts the thread's part of C, its rows of
/// A and columns of B, and the columns that threads of other rows packed. A tie goes to the grid with more
/// rows.
constexpr Grid grid_for(int threads, Index m, Index n, const CpuPlan& plan) {
  Grid best{threads, 1};
  if (threads == 1) return best;
  const double sharing = plan.pack_b ? detail::cpu_costs.sharing : 0;
  double shortest = -1;
  for (int cols = 1; cols <= threads; ++cols) {
    const int rows = threads / cols;
    const auto down = static_cast<double>(longest_part(m, plan.blocks.tm, rows));
    const auto across = static_cast<double>(longest_part(n, plan.blocks.tn, cols));
    const double time =
        down * across + detail::cpu_costs.reading * (down + across) + sharing * (rows - 1) / rows * across;
    if (shortest < 0 || time < shortest) best = {rows, cols}, shortest = time;
  }
  return best;
}

}  // namespace rooftile::portable
