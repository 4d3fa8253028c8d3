// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "../writers/output.hpp"
#include "experiment.hpp"
#include "rooftile/model/occupancy.hpp"

/// Threads hold increasing numbers of values in registers. An SM has a fixed number of registers, so fewer
/// threads are resident to hide latency. The cost depends on the independent work within a thread.
namespace rooftile::perf::registers {

struct Row {
  RegisterLaunch launch;
  int registers = 0;     ///< registers per thread from the compiler; 0: not available
  double occupancy = 0;  ///< of a GPU, from the runtime
  double modelled_occupancy = 0;
  double in_flight = 0;  ///< independent steps in flight on an SM; 0: not known
  Seconds seconds{};
  double giga = 0;  ///< 1e9 steps a second; 0: not timed
  std::string fault{};
};

/// Steps that an SM can have in flight, if its pipeline never fills up.
inline double steps_in_flight(const RegisterLaunch& launch, int blocks) {
  return static_cast<double>(blocks) * text_threads * (launch.chained ? 1 : launch.values);
}

/// The greatest rate of the rows that satisfy a condition: chained rows, unchained rows, or all.
template <class Condition>
double best_of(const std::vector<Row>& rows, const Condition& holds) {
  double best = 0;
  for (const Row& row : rows) {
    if (holds(row)) best = std::max(best, row.giga);
  }
  return best;
}
inline double best_of(const std::vector<Row>& rows) {
  return best_of(rows, [](const Row&) { return true; });
}

/// The rate of a row by Little's law, up to the best row's rate: the steps in flight per latency. The row
/// with the fewest steps in flight gives the latency. 0: the steps in flight are not known.
inline double modelled_giga(const Row& row, const std::vector<Row>& rows) {
  const Row* const first = greatest(
      rows, [](const Row& other) { return other.giga > 0 && other.in_flight > 0; },
      [](const Row& other) { return -other.in_flight; });
  return first == nullptr ? 0 : std::min(best_of(rows), first->giga * row.in_flight / first->in_flight);
}

/// The expected values of a group of threads after one run on 0, 1 …
template <int values, bool chained>
std::vector<std::uint32_t> wanted() {
  std::vector<std::uint32_t> group(text_threads * values);
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<std::uint32_t>(i);
  for (Index thread = 0; thread < text_threads; ++thread) hold<values, chained>(group.data(), thread);
  return group;
}

inline std::string fault_of(const std::vector<std::uint32_t>& x, const RegisterLaunch& launch) {
  std::vector<std::uint32_t> group;
  with_held(launch, [&]<int values, bool chained>() { group = wanted<values, chained>(); });
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (const std::uint32_t one = group[i % group.size()]; x[i] != one)
      return fmt::format("value {} is {} and not {}", i, x[i], one);
  }
  return {};
}

/// The cost of the most values, for chained or unchained rows: their rate relative to the greatest rate.
inline double share_of_most(const std::vector<Row>& rows, bool chained) {
  const auto holds = [&](const Row& row) { return row.launch.chained == chained; };
  const Row* const most = greatest(
      rows, [&](const Row& row) { return holds(row) && row.giga > 0; },
      [](const Row& row) { return row.launch.values; });
  return most == nullptr ? 0 : most->giga / best_of(rows, holds);
}

inline std::string read_occupancy(const std::vector<Row>& rows) {
  const auto [least, most] = std::minmax_element(
      rows.begin(), rows.end(), [](const Row& x, const Row& y) { return x.registers < y.registers; });
  double apart = 0, off = 0;
  for (const Row& row : rows) {
    apart = std::max(apart, std::abs(row.occupancy - row.modelled_occupancy));
    if (row.giga > 0) off = std::max(off, std::abs(row.giga / modelled_giga(row, rows) - 1));
  }
  return fmt::format(
      "From {} to {} registers a thread, occupancy falls from {} to {}{}. By Little's law with "
      "the latency of the launch with the fewest steps in flight, no row is further off than "
      "{:.0f} %. ",
      least->registers, most->registers, percent(least->occupancy), percent(most->occupancy),
      apart < 1e-9 ? ", in each row as the model says"
                   : fmt::format("; the model is off by up to {}", percent(apart)),
      100 * off);
}

/// The summary of the rows of one path on one device.
/// @param cpu_registers  general-purpose registers of a core; 0: a GPU
inline std::string reading(const std::vector<Row>& rows, int cpu_registers) {
  if (best_of(rows) <= 0) return "Nothing was measured.";
  std::string text;
  if (cpu_registers > 0)
    text = fmt::format("A core has {} registers for whole numbers; what does not fit is in its L1. ",
                       cpu_registers);
  if (std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.in_flight > 0; }))
    text += read_occupancy(rows);
  const double waiting = share_of_most(rows, true), alone = share_of_most(rows, false);
  const int most = std::max_element(rows.begin(), rows.end(), [](const Row& x, const Row& y) {
                     return x.launch.values < y.launch.values;
                   })->launch.values;
  text += fmt::format(
      "With {} values a thread, steps of which each waits for the one before have {:.0f} % of "
      "their greatest rate, and steps that do not wait {:.0f} % of theirs: ",
      most, 100 * waiting, 100 * alone);
  text +=
      waiting > 0.9 && alone > 0.9 ? "registers are no bound here"
      : alone > waiting + 0.05
          ? "a thread's own independent work stands in for the threads, or the registers, that are missing"
      : waiting > alone + 0.05
          ? "what waits anyway has time for values that are not in registers; what does not wait has none"
          : "both suffer alike from values that no register has, or from threads that are missing";
  return text + ".";
}

inline ExperimentTable table_of(const TextKernels& kernels, Index count, const std::vector<Row>& rows) {
  ExperimentTable table{kernels.device, kernels.path, in_words(count) + " values"};
  const bool known = static_cast<bool>(kernels.held);
  table.columns = {{"values", "values a thread"}, {"steps", "steps"}};
  if (known)
    table.columns.insert(table.columns.end(), {{"registers", "registers"},
                                               {"occupancy_percent", "occupancy %"},
                                               {"modelled_percent", "by the model"},
                                               {"in_flight", "steps in flight of an SM"}});
  table.columns.insert(table.columns.end(), {{"ms", "ms"}, {"giga", "1e9 steps/s"}});
  if (known) table.columns.push_back({"modelled_giga", "by Little's law"});
  for (const Row& row : rows) {
    Json json{{"values", row.launch.values}, {"steps", row.launch.chained ? "wait" : "do not wait"}};
    if (known) {
      json["registers"] = row.registers, json["occupancy_percent"] = 100 * row.occupancy;
      json["modelled_percent"] = 100 * row.modelled_occupancy, json["in_flight"] = row.in_flight;
    }
    json["ms"] = or_nothing(1e3 * row.seconds.median), json["giga"] = or_nothing(row.giga);
    if (known) json["modelled_giga"] = or_nothing(modelled_giga(row, rows));
    table.rows.push_back(json);
    if (!row.fault.empty())
      table.faults.push_back(fmt::format("{} values: {}", row.launch.values, row.fault));
  }
  table.reading = reading(rows, is_gpu(*kernels.device) ? 0 : cpu_registers);
  return table;
}

inline Row row_of(const TextKernels& kernels, const RegisterLaunch& launch) {
  Row row{launch};
  if (!kernels.held) return row;
  const HeldRegisters held = kernels.held(launch);
  const auto fraction = [&](model::Count threads) {
    return static_cast<double>(threads) / static_cast<double>(kernels.limits.threads);
  };
  row.registers = held.registers, row.occupancy = fraction(Index{held.blocks} * text_threads);
  row.modelled_occupancy = fraction(
      model::occupancy(kernels.limits, {.threads = text_threads, .registers = held.registers}).threads);
  row.in_flight = steps_in_flight(launch, held.blocks);
  return row;
}

inline std::vector<Row> measure(const Workbench& bench, const TextKernels& kernels, Index count) {
  Buffer<std::uint32_t> x(*kernels.device, static_cast<std::size_t>(count));
  std::vector<std::uint32_t> on_host(static_cast<std::size_t>(count));
  std::vector<Row> rows;
  const auto call_of = [&kernels, data = x.data(), count](const Row& row) {
    return [&kernels, data, count, launch = row.launch] { kernels.hold(data, count, launch); };
  };
  for (const bool chained : {true, false}) {
    for (const int values : register_values) {
      const RegisterLaunch launch{values, chained};
      bench.progress("verify registers");
      for (std::size_t i = 0; i < on_host.size(); ++i)
        on_host[i] = static_cast<std::uint32_t>(i % static_cast<std::size_t>(text_threads * values));
      x.upload(on_host);
      Row& row = rows.emplace_back(row_of(kernels, launch));
      kernels.device->seconds(call_of(row));
      x.download(on_host);
      row.fault = fault_of(on_host, launch);
    }
  }
  bench.time("registers", *kernels.device, rows, is_right<Row>, call_of);
  for (Row& row : rows) {
    if (row.seconds.median > 0)
      row.giga = 1e-9 * static_cast<double>(count) * held_steps / row.seconds.median;
  }
  return rows;
}

inline std::vector<ExperimentTable> run(const Workbench& bench) {
  return tables_of(bench, &TextKernels::hold, bench.sizes.values, Index{16} << 20, Index{128} << 10,
                   [&](const TextKernels& kernels, Index count) {
                     return table_of(kernels, count, measure(bench, kernels, count));
                   });
}

}  // namespace rooftile::perf::registers
