// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include "rooftile/error.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::model {

/// The rates of one process of a distributed product. A message of b bytes takes latency + b / bandwidth
/// seconds (Hockney, Parallel Computing 20 (1994) 389).
struct Process {
  double gflops = 0;         ///< rate of its products
  double bandwidth_gbs = 0;  ///< rate of sending, and at once of receiving
  double latency_us = 0;     ///< latency of a message
};

/// A product of aligned block-cyclic matrices.
struct SharedProduct {
  Count m = 0;              ///< rows of A and C
  Count n = 0;              ///< columns of B and C
  Count k = 0;              ///< columns of A and rows of B
  Count element_bytes = 8;  ///< bytes
  double flops = 2;         ///< of one multiply-add: 2, or 8 for complex numbers
  Count depth = 1024;       ///< steps of a panel along K
  /// Processes that hold a part of a layer's panel, for several layers. 0: a row and a column of the squarest
  /// grid.
  Count senders = 0;
};

/// The cost of a product on a grid of processes. Each process computes its part of C from panels along K. Its
/// row sends A and its column sends B; the next panel arrives while it multiplies. With several layers of
/// grids, each layer computes a share of K, and C is summed at the end.
struct SharedCost {
  Count rows = 1;         ///< of the grid of a layer
  Count cols = 1;         ///< of the grid of a layer
  Count layers = 1;       ///< number of layers that share K
  Count panels = 1;       ///< along K, on each layer
  double bytes = 0;       ///< that the busiest process receives
  double messages = 0;    ///< that the busiest process receives
  double compute = 0;     ///< seconds of its products
  double transfer = 0;    ///< seconds of its messages
  double sum = 0;         ///< seconds of the messages that sum C over the layers
  double seconds = 0;     ///< total: first panel's messages, later panels, last product, sum
  double efficiency = 0;  ///< share of the rates of all processes

  /// Returns the bottleneck: `compute` or `transfer`.
  constexpr std::string_view bound() const { return transfer + sum > compute ? "transfer" : "compute"; }
};

/// Checks a product and its processes. @throws Error  if a number is not positive
constexpr void check_shared(const SharedProduct& product, const Process& process, Count ranks) {
  if (std::min({product.m, product.n, product.k, product.element_bytes, product.depth, ranks}) < 1 ||
      std::max({product.m, product.n, product.k, product.element_bytes, product.depth, ranks}) > unlimited ||
      !(product.flops > 0) || !(process.gflops > 0) || !(process.bandwidth_gbs > 0) ||
      !(process.latency_us >= 0)) {
    throw Error(rooftile::detail::text(
        "invalid distributed product (", product.m, "x", product.n, "x", product.k, " on ", ranks,
        " processes of ", process.gflops, " GFLOP/s, ", process.bandwidth_gbs, " GB/s and ",
        process.latency_us, " us): give numbers above 0, and at most ", unlimited, " as an extent"));
  }
}

/// Returns the rows of the largest square grid of `ranks` processes, by Newton's method.
constexpr Count side_of_square(Count ranks) {
  Count side = ranks;
  for (Count next = (side + 1) / 2; next < side; next = (side + ranks / side) / 2) side = next;
  return side;
}

/// Returns the cost of a product on a grid of `layers` times rows × cols processes.
/// @param ranks  all processes, for the efficiency; those outside the grid are idle
/// @throws Error  if a number is not positive, or the grid needs more than `ranks` processes
constexpr SharedCost shared_cost(const SharedProduct& product, const Process& process, Count rows, Count cols,
                                 Count ranks, Count layers = 1) {
  check_shared(product, process, ranks);
  if (rows < 1 || cols < 1 || layers < 1 || rows > ranks / cols || layers > ranks / (rows * cols)) {
    throw Error(rooftile::detail::text(
        "grid does not fit the processes (", rows, "x", cols, "x", layers, " of ", ranks,
        "): give rows, columns and layers whose product is at most their number"));
  }
  SharedCost cost;
  cost.rows = rows, cost.cols = cols, cost.layers = layers;
  const Count steps = ceil_div(product.k, layers);
  cost.panels = ceil_div(steps, product.depth);
  const auto own_m = static_cast<double>(ceil_div(product.m, rows));
  const auto own_n = static_cast<double>(ceil_div(product.n, cols)), k = static_cast<double>(steps);
  const auto panels = static_cast<double>(cost.panels), size = static_cast<double>(product.element_bytes);
  const double latency = 1e-6 * process.latency_us, byte = 1 / (1e9 * process.bandwidth_gbs);
  double accumulator_bytes = 0, sum_messages = 0;
  if (layers == 1) {
    cost.bytes = k * size * (own_m * ratio(cols - 1, cols) + own_n * ratio(rows - 1, rows));
    cost.messages = panels * static_cast<double>(rows + cols - 2);
  } else {
    const Count senders = product.senders > 0 ? product.senders : 2 * side_of_square(ranks) - 1;
    cost.bytes = k * size * (own_m + own_n) * ratio(ranks - 1, ranks);
    cost.messages = panels * static_cast<double>(senders);
    accumulator_bytes = size * own_m * own_n * ratio(layers - 1, layers);
    sum_messages = static_cast<double>(layers - 1);
  }
  cost.compute = product.flops * own_m * own_n * k / (1e9 * process.gflops);
  cost.transfer = latency * cost.messages + byte * cost.bytes;
  cost.sum = latency * sum_messages + byte * accumulator_bytes;
  cost.bytes += accumulator_bytes, cost.messages += sum_messages;
  cost.seconds = (cost.transfer + cost.compute) / panels +
                 (panels - 1) * std::max(cost.transfer, cost.compute) / panels + cost.sum;
  const double alone = product.flops * static_cast<double>(product.m) * static_cast<double>(product.n) *
                       static_cast<double>(product.k) / (1e9 * process.gflops);
  cost.efficiency = alone / (static_cast<double>(ranks) * cost.seconds);
  return cost;
}

/// Returns the fastest grid of at most `ranks` processes with `layers` layers; of equal ones, that with
/// fewest rows.
constexpr SharedCost best_grid_in_layers(const SharedProduct& product, const Process& process, Count ranks,
                                         Count layers) {
  SharedCost best = shared_cost(product, process, 1, ranks / layers, ranks, layers);
  for (Count rows = 2; rows <= ranks / layers; ++rows) {
    const SharedCost cost = shared_cost(product, process, rows, ranks / layers / rows, ranks, layers);
    if (cost.seconds < best.seconds) best = cost;
  }
  return best;
}

/// Returns the fastest grid, for all numbers of layers that divide the number of processes; of equal ones,
/// that with fewest layers.
/// @param from  minimum number of layers
constexpr SharedCost best_grid(const SharedProduct& product, const Process& process, Count ranks,
                               Count from = 1) {
  SharedCost best = best_grid_in_layers(product, process, ranks, ranks);
  for (Count layers = ranks - 1; layers >= from; --layers) {
    if (ranks % layers != 0) continue;
    const SharedCost cost = best_grid_in_layers(product, process, ranks, layers);
    if (cost.seconds <= best.seconds) best = cost;
  }
  return best;
}

}  // namespace rooftile::model
