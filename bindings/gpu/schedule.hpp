// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/gpu/lines.hpp"
#include "rooftile/problem.hpp"

/// Schedules that overlap sending blocks, multiplying, and copying back. The first `outer` of K are outer
/// products, so that the GPU has work early. The rest are alternating strips of A and B, which finish blocks
/// of C.
namespace rooftile::gpu {

/// Which operands are on the host, and whether C is read.
struct Transfers {
  bool a = true, b = true, c = true;
  bool reads_c = false;
};

/// Blocks to send, and the product that is possible afterwards.
struct Step {
  Block a{}, b{}, c{};  ///< sent before the product; empty: not sent
  Block product{};      ///< block of C; empty: no product yet
  Index k = 0;          ///< first index of the product along K
  Index depth = 0;      ///< extent of the product along K
  bool first = true;    ///< the block's first product: uses the call's beta instead of 1
  bool last = true;     ///< the block's last product: finishes it
};

using Schedule = std::vector<Step>;

/// Granularity and minimum size of the parts that products are divided into.
inline constexpr Index unit = 128, min_part = 1024;

/// The size of a part: whole units, about an eighth of the extent.
constexpr Index part_of(Index extent) {
  return std::max(min_part, (extent / 8 + unit - 1) / unit * unit);
}

/// @param outer  the part of K that is summed by outer products, 0 to k
inline Schedule schedule_of(const GemmShape& shape, const Transfers& transfers, Index outer) {
  const auto [m, n, k] = shape;
  const auto sent = [](bool is_sent, const Block& block) { return is_sent ? block : Block{}; };
  Schedule steps;
  const Block whole{0, 0, m, n};
  for (Index at = 0, panel = part_of(k) / 2; at < outer; at += panel) {
    const Index depth = std::min(panel, outer - at);
    steps.push_back({sent(transfers.a, {0, at, m, depth}), sent(transfers.b, {at, 0, depth, n}),
                     sent(transfers.c && transfers.reads_c && at == 0, whole), whole, at, depth, at == 0,
                     at + depth == k});
  }
  if (outer == k) return steps;
  const Index depth = k - outer, strip_m = part_of(m), strip_n = part_of(n);
  const bool sends_c = transfers.c && transfers.reads_c && outer == 0;
  for (Index rows = 0, cols = 0; rows < m || cols < n;) {
    Step step;
    step.k = outer, step.depth = depth, step.first = outer == 0;
    // Send the operand of which a smaller share has been sent.
    const bool row = cols == n || (rows < m && static_cast<double>(rows) * static_cast<double>(n) <=
                                                   static_cast<double>(cols) * static_cast<double>(m));
    if (row) {
      const Index height = std::min(strip_m, m - rows);
      step.a = sent(transfers.a, {rows, outer, height, depth});
      step.product = {rows, 0, height, cols};
      rows += height;
    } else {
      const Index width = std::min(strip_n, n - cols);
      step.b = sent(transfers.b, {outer, cols, depth, width});
      step.product = {0, cols, rows, width};
      cols += width;
    }
    step.c = sent(sends_c, step.product);
    steps.push_back(step);
  }
  return steps;
}

/// Rates for the time model of a schedule.
struct Rates {
  double bytes;          ///< per second and direction
  double multiply_adds;  ///< of elements, per second
  double start;          ///< seconds before the first and after the last byte
  double step;           ///< fixed seconds per transfer or kernel
};

/// The modelled time of a schedule in seconds. Both directions of the link and the GPU work concurrently,
/// each on one item at a time.
inline double seconds_of(const Schedule& schedule, bool c_on_host, std::size_t element_size,
                         const Rates& rates) {
  const double bytes = static_cast<double>(element_size) / rates.bytes;
  double in = 0, multiplied = 0, out = 0;
  for (const Step& step : schedule) {
    const double sent = step.a.elements() + step.b.elements() + step.c.elements();
    if (sent > 0) in += rates.step + sent * bytes;
    if (step.product.empty()) continue;
    multiplied = std::max(multiplied, in) + rates.step +
                 step.product.elements() * static_cast<double>(step.depth) / rates.multiply_adds;
    if (step.last && c_on_host)
      out = std::max(out, multiplied) + rates.step + step.product.elements() * bytes;
  }
  return rates.start + std::max(multiplied, out);
}

/// Whether C can accumulate partial sums along K. A 16-bit C would round each of them.
template <class T>
inline constexpr bool sums_in_c = std::is_same_v<T, Scalar<T>>;

/// The fastest schedule by the model, and its time.
struct TimedSchedule {
  Schedule steps;
  double seconds = 0;
};
template <class T>
TimedSchedule best_schedule(const GemmShape& shape, const Transfers& transfers, const Rates& rates) {
  TimedSchedule best;
  for (const Index part : {0, 1, 2, 3, 4}) {  // quarters of K
    if (part > 0 && !sums_in_c<T>) break;
    const Index outer =
        part == 4 ? shape.k : std::min(shape.k, (shape.k * part / 4 + unit - 1) / unit * unit);
    Schedule steps = schedule_of(shape, transfers, outer);
    const double seconds = seconds_of(steps, transfers.c, sizeof(T), rates);
    if (best.steps.empty() || seconds < best.seconds) best = {std::move(steps), seconds};
  }
  return best;
}

}  // namespace rooftile::gpu
