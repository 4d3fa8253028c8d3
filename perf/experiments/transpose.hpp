// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "../writers/output.hpp"
#include "experiment.hpp"

/// Transposes tiles of a matrix through shared memory, with and without the barrier between stores and loads.
/// Wrong elements show the race.
namespace rooftile::perf::transpose {

/// Number of runs of each kernel on different values, to find wrong elements.
inline constexpr int trials = 3;

struct Row {
  TransposeLaunch launch;
  Index wrong = 0;  ///< number of wrong elements; maximum over the trials
  Seconds seconds{};
  double gbs = 0;  ///< read and written; 0: not timed, because the result is wrong
};

/// The matrix before a trial, in row-major order. Adjacent elements differ, and so do the trials.
inline float value_at(Index element, int trial) {
  return static_cast<float>((element + 7919 * trial) % (Index{1} << 23));
}

inline Index count_wrong(const std::vector<float>& to, Index order, int tile, int trial) {
  Index wrong = 0;
  for (Index row = 0; row < order; ++row) {
    const Index row0 = row / tile * tile, below = row % tile;
    for (Index col0 = 0; col0 < order; col0 += tile) {
      for (Index right = 0; right < tile; ++right) {
        const float wanted = value_at((row0 + right) * order + col0 + below, trial);
        if (!(to[static_cast<std::size_t>(row * order + col0 + right)] == wanted)) ++wrong;
      }
    }
  }
  return wrong;
}

inline std::string reading(const std::vector<Row>& rows, Index order, bool shares_tiles) {
  const double all = static_cast<double>(order) * static_cast<double>(order);
  const Row* worst = nullptr;
  const Row* with = nullptr;
  std::string right;
  Index wrong_with = 0;
  for (const Row& row : rows) {
    if (row.launch.barrier) {
      wrong_with += row.wrong;
      if (row.gbs > 0 && (with == nullptr || row.gbs > with->gbs)) with = &row;
      continue;
    }
    if (row.wrong == 0) right += fmt::format("{}{}", right.empty() ? "" : ", ", row.launch.tile);
    if (row.wrong > 0 && (worst == nullptr || row.wrong > worst->wrong)) worst = &row;
  }
  std::string text = wrong_with == 0 ? "With the barrier every element is right"
                                     : fmt::format("With the barrier {} elements are wrong", wrong_with);
  if (with != nullptr)
    text += fmt::format("; the fastest tile, {0}×{0}, moves {1}", with->launch.tile, rate(with->gbs, "B/s"));
  text += ". ";
  if (worst != nullptr) {
    text += fmt::format("Without it up to {} of {} elements ({:.3g} %) are wrong, at tiles of {}×{}",
                        worst->wrong, order * order, 100 * static_cast<double>(worst->wrong) / all,
                        worst->launch.tile, worst->launch.tile);
    text += right.empty() ? "." : fmt::format("; none are at widths {}.", right);
    text +=
        " Only at width 1 is the kernel right: a tile that a warp holds comes out right where the warp "
        "happens to "
        "run in step, which nothing promises.";
  } else if (shares_tiles) {
    text +=
        "Without it no element came out wrong in these runs; that does not make the kernel right, since only "
        "at "
        "width 1 does no thread load what another one stored.";
  } else {
    text +=
        "Without it every element is right, too: here one thread works on a tile, and stores all of it "
        "before it "
        "loads. There is no race without a second thread.";
  }
  return text;
}

inline ExperimentTable table_of(const TextKernels& kernels, Index order, const std::vector<Row>& rows) {
  ExperimentTable table{kernels.device, kernels.path, fmt::format("{0}×{0} elements", order)};
  table.columns = {
      {"tile", "tile"}, {"barrier", "barrier"}, {"wrong", "wrong elements"}, {"wrong_percent", "wrong %"},
      {"ms", "ms"},     {"gbs", "GB/s"}};
  for (const Row& row : rows) {
    table.rows.push_back({{"tile", row.launch.tile},
                          {"barrier", row.launch.barrier ? "yes" : "no"},
                          {"wrong", row.wrong},
                          {"wrong_percent", 100 * static_cast<double>(row.wrong) /
                                                (static_cast<double>(order) * static_cast<double>(order))},
                          {"ms", or_nothing(1e3 * row.seconds.median)},
                          {"gbs", or_nothing(row.gbs)}});
    if (row.launch.barrier && row.wrong > 0)
      table.faults.push_back(
          fmt::format("tiles of {}: {} elements are wrong, with the barrier", row.launch.tile, row.wrong));
  }
  table.reading = reading(rows, order, kernels.shares_tiles);
  return table;
}

inline std::vector<Row> measure(const Workbench& bench, const TextKernels& kernels, Index order) {
  const auto count = static_cast<std::size_t>(order * order);
  Buffer<float> from(*kernels.device, count), to(*kernels.device, count);
  std::vector<float> on_host(count);
  const std::vector<float> nothing(count, std::numeric_limits<float>::quiet_NaN());
  std::vector<Row> rows;
  for (const bool barrier : {true, false}) {
    for (const int tile : transpose_tiles) rows.push_back({{tile, barrier}});
  }
  const auto call_of = [&](const TransposeLaunch& launch) {
    return [&kernels, to = to.data(), from = from.data(), order, launch] {
      kernels.transpose(to, from, order, launch);
    };
  };
  for (int trial = 0; trial < trials; ++trial) {
    for (std::size_t i = 0; i < count; ++i) on_host[i] = value_at(static_cast<Index>(i), trial);
    from.upload(on_host);
    for (Row& row : rows) {
      bench.progress("verify transpose");
      to.upload(nothing);
      kernels.device->seconds(call_of(row.launch));
      to.download(on_host);
      row.wrong = std::max(row.wrong, count_wrong(on_host, order, row.launch.tile, trial));
    }
  }
  bench.time(
      "transpose", *kernels.device, rows, [](const Row& row) { return row.wrong == 0; },
      [&](const Row& row) { return call_of(row.launch); });
  for (Row& row : rows) {
    if (row.seconds.median > 0)
      row.gbs = 2e-9 * sizeof(float) * static_cast<double>(count) / row.seconds.median;
  }
  return rows;
}

inline std::vector<ExperimentTable> run(const Workbench& bench) {
  return tables_of(bench, &TextKernels::transpose, bench.sizes.order, 4096, 1024,
                   [&](const TextKernels& kernels, Index order) {
                     return table_of(kernels, order, measure(bench, kernels, order));
                   });
}

}  // namespace rooftile::perf::transpose
