// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "../writers/output.hpp"
#include "experiment.hpp"
#include "rooftile/model/divergence.hpp"

/// Threads branch by their indices. A group of threads in lockstep executes every way that one of them takes.
namespace rooftile::perf::divergence {

struct Row {
  int branching = 0;  ///< index into `branchings`
  int lanes = 32;     ///< threads in lockstep
  Seconds seconds{};
  double slow_down = 0;  ///< time relative to the kernel without a branch; 0: not timed
  std::string fault{};
};

constexpr int ways_taken(const Branching& branching, int lanes) {
  return lanes <= branching.neighbours ? 1 : std::min(ways_of(branching), lanes / branching.neighbours);
}

/// Average number of active lanes of a group, for ways of equal length.
constexpr double active_lanes(const Branching& branching, int lanes) {
  return static_cast<double>(lanes) / ways_taken(branching, lanes);
}

inline std::string fault_of(const std::vector<std::uint32_t>& x, int branching) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto wanted = static_cast<std::uint32_t>(i);
    with_constant<0, 1, 2, 3>(branching, [&]<int value>() { branch<value>(wanted, static_cast<Index>(i)); });
    if (x[i] != wanted) return fmt::format("thread {} has {} and not {}", i, x[i], wanted);
  }
  return {};
}

inline std::string read_in_step(const std::vector<Row>& rows) {
  std::string text;
  double off = 0;
  for (const Row& row : rows) {
    if (row.slow_down <= 0 || row.branching == 0 || row.lanes == 1) continue;
    const Branching& branching = branchings[static_cast<std::size_t>(row.branching)];
    const int ways = ways_taken(branching, row.lanes);
    text +=
        fmt::format("{} {}: {:.2f} times as long as no branch, {} by the model ({:.0f} of {} lanes active)",
                    text.empty() ? "Of lanes in step," : ",", branching.name, row.slow_down, ways,
                    active_lanes(branching, row.lanes), row.lanes);
    off = std::max(off, std::abs(row.slow_down / ways - 1));
  }
  if (text.empty()) return text;
  return text + fmt::format("; {}. ",
                            off < 0.1 ? "they go one way after the other, as the model counts"
                                      : fmt::format("the model is off by up to {:.0f} %: what one way leaves "
                                                    "idle, or a step costs beside its work, it does not know",
                                                    100 * off));
}

inline std::string read_alone(const std::vector<Row>& rows) {
  const Row* const worst = greatest(
      rows, [](const Row& row) { return row.slow_down > 0 && row.branching > 0 && row.lanes == 1; },
      &Row::slow_down);
  if (worst == nullptr) return {};
  return fmt::format(
      "Of threads by themselves, a branch takes at most {:.2f} times as long as none: {}. ", worst->slow_down,
      worst->slow_down > 2 ? "the compiler computes in vectors what does not branch, and nothing else"
                           : "each goes its own way only");
}

inline std::string reading(const std::vector<Row>& rows) {
  std::string text = read_in_step(rows) + read_alone(rows);
  if (text.empty()) return "Nothing was measured.";
  text.pop_back();  // the trailing space
  return text;
}

inline ExperimentTable table_of(const TextKernels& kernels, Index count, const std::vector<Row>& rows) {
  ExperimentTable table{kernels.device, kernels.path, in_words(count) + " threads"};
  table.columns = {{"branches", "branches"},
                   {"lanes", "lanes in step"},
                   {"active", "active lanes"},
                   {"lost_percent", "issue slots lost %"},
                   {"modelled", "slow-down by the model"},
                   {"ms", "ms"},
                   {"slow_down", "slow-down"}};
  for (const Row& row : rows) {
    const Branching& branching = branchings[static_cast<std::size_t>(row.branching)];
    const int ways = ways_taken(branching, row.lanes);
    table.rows.push_back({{"branches", branching.name},
                          {"lanes", row.lanes},
                          {"active", active_lanes(branching, row.lanes)},
                          {"lost_percent", 100 * model::lost_issue_slots(ways)},
                          {"modelled", ways},
                          {"ms", or_nothing(1e3 * row.seconds.median)},
                          {"slow_down", or_nothing(row.slow_down)}});
    if (!row.fault.empty()) table.faults.push_back(fmt::format("{}: {}", branching.name, row.fault));
  }
  table.reading = reading(rows);
  return table;
}

inline std::vector<Row> measure(const Workbench& bench, const TextKernels& kernels, Index count) {
  Buffer<std::uint32_t> x(*kernels.device, static_cast<std::size_t>(count));
  std::vector<std::uint32_t> on_host(static_cast<std::size_t>(count));
  std::vector<Row> rows;
  const auto call_of = [&kernels, data = x.data(), count](const Row& row) {
    return [&kernels, data, count, branching = row.branching, lanes = row.lanes] {
      kernels.branch(data, count, branching, lanes);
    };
  };
  for (const int lanes : kernels.lanes) {
    for (int branching = 0; branching < static_cast<int>(branchings.size()); ++branching) {
      bench.progress("verify divergence");
      std::iota(on_host.begin(), on_host.end(), std::uint32_t{0});
      x.upload(on_host);
      Row& row = rows.emplace_back(Row{branching, lanes});
      kernels.device->seconds(call_of(row));
      x.download(on_host);
      row.fault = fault_of(on_host, branching);
    }
  }
  bench.time("divergence", *kernels.device, rows, is_right<Row>, call_of);
  for (Row& row : rows) {
    const auto straight = std::find_if(rows.begin(), rows.end(), [&](const Row& other) {
      return other.branching == 0 && other.lanes == row.lanes;
    });
    if (straight->seconds.median > 0 && row.seconds.median > 0)
      row.slow_down = row.seconds.median / straight->seconds.median;
  }
  return rows;
}

inline std::vector<ExperimentTable> run(const Workbench& bench) {
  return tables_of(bench, &TextKernels::branch, bench.sizes.threads, Index{4} << 20, Index{32} << 10,
                   [&](const TextKernels& kernels, Index count) {
                     return table_of(kernels, count, measure(bench, kernels, count));
                   });
}

}  // namespace rooftile::perf::divergence
