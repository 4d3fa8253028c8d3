// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

/// What a process of a distributed product has: its own rate, and a link to the others by which a message of
/// b bytes takes latency + b / bandwidth seconds (Hockney, Parallel Computing 20 (1994) 389).
struct Process {
  double gflops = 0;         ///< of products, alone
  double bandwidth_gbs = 0;  ///< of what it sends; as much arrives meanwhile
  double latency_us = 0;     ///< of a message
};

/// A product of block-cyclic matrices that align.
struct SharedProduct {
  Count m = 0;              ///< rows of A and C
  Count n = 0;              ///< columns of B and C
  Count k = 0;              ///< columns of A and rows of B
  Count element_bytes = 8;  ///< bytes
  double flops = 2;         ///< of a multiplication and an addition; 8 of complex numbers
  Count depth = 1024;       ///< of a panel along K
};

/// A product on a grid of processes, each of which computes its part of C from panels along K that the others
/// of its row (of A) and column (of B) send, the next one while it multiplies.
struct SharedCost {
  Count rows = 1;         ///< of the grid
  Count cols = 1;         ///< of the grid
  Count panels = 1;       ///< along K
  double bytes = 0;       ///< that the busiest process receives
  double messages = 0;    ///< that it receives
  double compute = 0;     ///< seconds of its products
  double transfer = 0;    ///< seconds of its messages
  double seconds = 0;     ///< of all: the first panel's messages, then the longer of both, then a product
  double efficiency = 0;  ///< of the rates of all processes that there are

  /// What the product waits for: `compute` or `transfer`.
  constexpr std::string_view bound() const { return transfer > compute ? "transfer" : "compute"; }
};

/// @throws Error where a number is not positive
constexpr void check_shared(const SharedProduct& product, const Process& process, Count ranks) {
  if (std::min({product.m, product.n, product.k, product.element_bytes, product.depth, ranks}) < 1 ||
      std::max({product.m, product.n, product.k, product.element_bytes, product.depth, ranks}) > unlimited ||
      !(product.flops > 0) || !(process.gflops > 0) || !(process.bandwidth_gbs > 0) ||
      !(process.latency_us >= 0)) {
    throw Error(rooftile::detail::text("no product to share (", product.m, "x", product.n, "x", product.k,
                                       " on ", ranks, " processes of ", process.gflops, " GFLOP/s, ",
                                       process.bandwidth_gbs, " GB/s and ", process.latency_us,
                                       " us): give numbers above 0"));
  }
}

/// @param ranks  processes that there are, for the efficiency; those beyond the grid are idle
/// @throws Error where a number is not positive, or the grid has more processes
constexpr SharedCost shared_cost(const SharedProduct& product, const Process& process, Count rows, Count cols,
                                 Count ranks) {
  check_shared(product, process, ranks);
  if (rows < 1 || cols < 1 || rows > ranks / cols) {
    throw Error(rooftile::detail::text("no grid of these processes (", rows, "x", cols, " of ", ranks,
                                       "): give rows and columns whose product is at most that"));
  }
  SharedCost cost;
  cost.rows = rows, cost.cols = cols;
  cost.panels = ceil_div(product.k, product.depth);
  const auto own_m = static_cast<double>(ceil_div(product.m, rows));
  const auto own_n = static_cast<double>(ceil_div(product.n, cols)), k = static_cast<double>(product.k);
  const double others_of_row = ratio(cols - 1, cols), others_of_col = ratio(rows - 1, rows);
  cost.bytes =
      k * static_cast<double>(product.element_bytes) * (own_m * others_of_row + own_n * others_of_col);
  cost.messages = static_cast<double>(cost.panels) * static_cast<double>(rows + cols - 2);
  cost.compute = product.flops * own_m * own_n * k / (1e9 * process.gflops);
  cost.transfer = 1e-6 * process.latency_us * cost.messages + cost.bytes / (1e9 * process.bandwidth_gbs);
  const auto panels = static_cast<double>(cost.panels);
  cost.seconds =
      (cost.transfer + cost.compute) / panels + (panels - 1) * std::max(cost.transfer, cost.compute) / panels;
  const double alone = product.flops * static_cast<double>(product.m) * static_cast<double>(product.n) * k /
                       (1e9 * process.gflops);
  cost.efficiency = alone / (static_cast<double>(ranks) * cost.seconds);
  return cost;
}

/// The grid of at most `ranks` processes that takes least; of equals the one with fewest rows.
constexpr SharedCost best_grid(const SharedProduct& product, const Process& process, Count ranks) {
  SharedCost best = shared_cost(product, process, 1, ranks, ranks);
  for (Count rows = 2; rows <= ranks; ++rows) {
    const SharedCost cost = shared_cost(product, process, rows, ranks / rows, ranks);
    if (cost.seconds < best.seconds) best = cost;
  }
  return best;
}

}  // namespace rooftile::model
