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
  /// Processes that hold something of a layer's panel, where there are layers; 0: a column and a row of a
  /// grid as square as may be.
  Count senders = 0;
};

/// A product on a grid of processes, each of which computes its part of C from panels along K that the others
/// of its row (of A) and column (of B) send, the next one while it multiplies. On several layers of such a
/// grid each has its share of K; the operands are then dealt to all processes, and C is summed at the end.
struct SharedCost {
  Count rows = 1;         ///< of the grid of a layer
  Count cols = 1;         ///< of the grid of a layer
  Count layers = 1;       ///< that share K
  Count panels = 1;       ///< along K, of each layer
  double bytes = 0;       ///< that the busiest process receives
  double messages = 0;    ///< that it receives
  double compute = 0;     ///< seconds of its products
  double transfer = 0;    ///< seconds of its messages
  double sum = 0;         ///< seconds of them, of layers' parts of C, for which nothing else is left to do
  double seconds = 0;     ///< of all: the first panel's messages, then the longer of both, a product, the sum
  double efficiency = 0;  ///< of the rates of all processes that there are

  /// What the product waits for: `compute` or `transfer`.
  constexpr std::string_view bound() const { return transfer + sum > compute ? "transfer" : "compute"; }
};

/// @throws Error where a number is not positive
constexpr void check_shared(const SharedProduct& product, const Process& process, Count ranks) {
  if (std::min({product.m, product.n, product.k, product.element_bytes, product.depth, ranks}) < 1 ||
      std::max({product.m, product.n, product.k, product.element_bytes, product.depth, ranks}) > unlimited ||
      !(product.flops > 0) || !(process.gflops > 0) || !(process.bandwidth_gbs > 0) ||
      !(process.latency_us >= 0)) {
    throw Error(rooftile::detail::text(
        "no product to share (", product.m, "x", product.n, "x", product.k, " on ", ranks, " processes of ",
        process.gflops, " GFLOP/s, ", process.bandwidth_gbs, " GB/s and ", process.latency_us,
        " us): give numbers above 0, and at most ", unlimited, " as an extent"));
  }
}

/// The rows of the largest square grid of so many processes, by Newton's method.
constexpr Count side_of_square(Count ranks) {
  Count side = ranks;
  for (Count next = (side + 1) / 2; next < side; next = (side + ranks / side) / 2) side = next;
  return side;
}

/// @param ranks   processes that there are, for the efficiency; those beyond the grid are idle
/// @param layers  of the grid
/// @throws Error where a number is not positive, or the layers have more processes
constexpr SharedCost shared_cost(const SharedProduct& product, const Process& process, Count rows, Count cols,
                                 Count ranks, Count layers = 1) {
  check_shared(product, process, ranks);
  if (rows < 1 || cols < 1 || layers < 1 || rows > ranks / cols || layers > ranks / (rows * cols)) {
    throw Error(rooftile::detail::text("no grid of these processes (", rows, "x", cols, "x", layers, " of ",
                                       ranks,
                                       "): give rows, columns and layers whose product is at most that"));
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

/// The grid of at most `ranks` processes in so many layers that takes least; of equals the one with fewest
/// rows.
constexpr SharedCost best_grid_in_layers(const SharedProduct& product, const Process& process, Count ranks,
                                         Count layers) {
  SharedCost best = shared_cost(product, process, 1, ranks / layers, ranks, layers);
  for (Count rows = 2; rows <= ranks / layers; ++rows) {
    const SharedCost cost = shared_cost(product, process, rows, ranks / layers / rows, ranks, layers);
    if (cost.seconds < best.seconds) best = cost;
  }
  return best;
}

/// The grid that takes least, in as many layers as take least, of those by which the number of processes can
/// be divided; of equals the one with fewest layers.
/// @param from  layers, at least
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
