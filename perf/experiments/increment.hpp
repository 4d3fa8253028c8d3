// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "../writers/output.hpp"
#include "experiment.hpp"
#include "rooftile/model/latency.hpp"

/// Increments a vector, with different access widths, accesses per thread, and numbers of threads on an SM.
/// The experiment shows which of these parameters determines the memory bandwidth.
namespace rooftile::perf::increment {

struct Row {
  IncrementLaunch launch;
  double occupancy = 0;        ///< on a GPU
  double bytes_in_flight = 0;  ///< requested at one time, on a GPU
  Seconds seconds{};
  double gbs = 0;  ///< read and written; 0: not timed
  std::string fault{};
};

/// Bytes that all threads of a GPU request at one time, if each waits for its loads.
/// @param blocks  blocks on an SM
inline double bytes_in_flight(const IncrementLaunch& launch, int sms, int blocks) {
  return static_cast<double>(launch.bytes) * launch.elements * text_threads * blocks * sms;
}

/// Latency in ns by Little's law, from the row with the fewest bytes in flight, where memory is otherwise
/// idle. Loads are half of the moved bytes. 0: no such row.
inline double latency_ns(const std::vector<Row>& rows) {
  const Row* const first = greatest(
      rows, [](const Row& row) { return row.gbs > 0 && row.bytes_in_flight > 0; },
      [](const Row& row) { return -row.bytes_in_flight; });
  return first == nullptr ? 0 : first->bytes_in_flight / (0.5 * first->gbs);
}

/// The bandwidth of a row in GB/s by Little's law: the bytes in flight per latency, up to the best row's
/// bandwidth.
inline double modelled_gbs(const Row& row, const std::vector<Row>& rows) {
  double best = 0;
  for (const Row& other : rows) best = std::max(best, other.gbs);
  const double latency = latency_ns(rows);
  return latency > 0 ? std::min(best, 2 * row.bytes_in_flight / latency) : 0;
}

/// Describes a wrong element after one run on 0, 1 … 1023, 0, 1 …; empty if all are correct.
inline std::string fault_of(const std::vector<float>& a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float wanted = static_cast<float>(i % 1024 + 1);
    if (a[i] != wanted) return fmt::format("element {} is {} and not {}", i, a[i], wanted);
  }
  return {};
}

template <class Condition>
const Row* best_of(const std::vector<Row>& rows, const Condition& holds) {
  return greatest(
      rows, [&](const Row& row) { return row.gbs > 0 && holds(row); }, &Row::gbs);
}

inline std::string read_gpu(const std::vector<Row>& rows, const Row& best) {
  std::string text =
      fmt::format("The fastest launch moves {}: accesses of {} bytes, {} a thread, at {:.0f} % occupancy. ",
                  rate(best.gbs, "B/s"), best.launch.bytes, best.launch.elements, 100 * best.occupancy);
  const Row* const enough = greatest(
      rows, [&](const Row& row) { return row.gbs >= 0.9 * best.gbs; },
      [](const Row& row) { return -row.bytes_in_flight; });
  text += fmt::format("{:.3g} MB in flight suffice for nine tenths of that, at {:.0f} % occupancy. ",
                      1e-6 * enough->bytes_in_flight, 100 * enough->occupancy);
  // Compare several small accesses with one wide access: equal bytes per thread and equal numbers of threads.
  double apart = 0;
  int pairs = 0;
  for (const Row& wide : rows) {
    for (const Row& small : rows) {
      if (wide.launch.elements != 1 || small.launch.elements == 1 || wide.gbs <= 0 || small.gbs <= 0 ||
          wide.launch.blocks != small.launch.blocks ||
          wide.launch.bytes != small.launch.bytes * small.launch.elements)
        continue;
      apart = std::max(apart, std::abs(small.gbs / wide.gbs - 1)), ++pairs;
    }
  }
  if (pairs > 0)
    text +=
        fmt::format("Several small accesses and a wide one of as many bytes differ by at most {:.0f} %{}. ",
                    100 * apart, apart < 0.1 ? ": what counts are the bytes in flight" : "");
  if (const double latency = latency_ns(rows); latency > 0) {
    double off = 0;
    for (const Row& row : rows) {
      if (row.gbs > 0) off = std::max(off, std::abs(row.gbs / modelled_gbs(row, rows) - 1));
    }
    text += fmt::format(
        "From the launch with the fewest bytes in flight follows a latency of {:.0f} ns; by Little's law "
        "with it and the greatest rate, no row is further off than {:.0f} %.",
        latency, 100 * off);
  }
  if (text.back() == ' ') text.pop_back();
  return text;
}

/// The summary for a GPU on which every row has full occupancy.
inline std::string read_full_gpu(const std::vector<Row>& rows, const Row& best) {
  const auto of_thread = [](const Row& row) { return row.launch.bytes * row.launch.elements; };
  const Row* least = &best;
  for (const Row& row : rows) {
    if (row.gbs > 0 && of_thread(row) < of_thread(*least)) least = &row;
  }
  const double share = least->gbs / best.gbs;
  return fmt::format(
      "The fastest launch moves {}: accesses of {} bytes, {} a thread. With {} bytes a thread it is {:.0f} % "
      "of "
      "that: {}.",
      rate(best.gbs, "B/s"), best.launch.bytes, best.launch.elements, of_thread(*least), 100 * share,
      share > 0.9 ? "the threads that the GPU holds suffice"
                  : "all threads together have too few bytes in flight");
}

inline std::string read_cpu(const std::vector<Row>& rows, const Row& best) {
  std::string text =
      fmt::format("The fastest run moves {}: accesses of {} bytes by {}. ", rate(best.gbs, "B/s"),
                  best.launch.bytes, counted(best.launch.threads, "thread"));
  const Row* const one = best_of(rows, [](const Row& row) { return row.launch.threads == 1; });
  if (one != nullptr && best.launch.threads > 1)
    text += fmt::format("One thread alone reaches {:.0f} % of it. ", 100 * one->gbs / best.gbs);
  const auto of_width = [&](int bytes) {
    return best_of(rows, [&](const Row& row) {
      return row.launch.bytes == bytes && row.launch.threads == best.launch.threads;
    });
  };
  if (const Row* const narrow = of_width(4); narrow != nullptr) {
    const double share = narrow->gbs / best.gbs;
    text += fmt::format(
        "Accesses of 4 bytes reach {:.0f} %: {}.", 100 * share,
        share > 0.9 ? "the caches fetch whole lines ahead of the loads, so that their width counts little"
                    : "a core issues too few of them to keep memory busy");
  }
  return text;
}

inline std::string reading(const std::vector<Row>& rows, bool gpu) {
  const Row* const best = best_of(rows, [](const Row&) { return true; });
  if (best == nullptr) return "Nothing was measured.";
  if (!gpu) return read_cpu(rows, *best);
  return best->bytes_in_flight > 0 ? read_gpu(rows, *best) : read_full_gpu(rows, *best);
}

inline ExperimentTable table_of(const TextKernels& kernels, Index count, const std::vector<Row>& rows) {
  ExperimentTable table{kernels.device, kernels.path, in_words(count) + " elements"};
  const bool gpu = is_gpu(*kernels.device);
  table.columns = {{"bytes", "bytes an access"}, {"elements", "accesses a thread"}};
  const bool swept = gpu && kernels.resident;  // rows differ in occupancy
  if (swept) {
    table.columns.insert(table.columns.end(),
                         {{"occupancy_percent", "occupancy %"}, {"in_flight_bytes", "bytes in flight"}});
  } else if (!gpu) {
    table.columns.push_back({"threads", "threads"});
  }
  table.columns.insert(table.columns.end(), {{"ms", "ms"}, {"gbs", "GB/s"}});
  if (swept) table.columns.push_back({"modelled_gbs", "GB/s by Little's law"});
  for (const Row& row : rows) {
    Json json{{"bytes", row.launch.bytes}, {"elements", row.launch.elements}};
    if (swept) {
      json["occupancy_percent"] = 100 * row.occupancy, json["in_flight_bytes"] = row.bytes_in_flight;
    } else if (!gpu) {
      json["threads"] = row.launch.threads;
    }
    json["ms"] = or_nothing(1e3 * row.seconds.median), json["gbs"] = or_nothing(row.gbs);
    if (swept) json["modelled_gbs"] = or_nothing(modelled_gbs(row, rows));
    table.rows.push_back(json);
    if (!row.fault.empty())
      table.faults.push_back(
          fmt::format("{} accesses of {} bytes: {}", row.launch.elements, row.launch.bytes, row.fault));
  }
  table.reading = reading(rows, gpu);
  return table;
}

inline std::vector<Row> measure(const Workbench& bench, const TextKernels& kernels, Index count) {
  Buffer<float> a(*kernels.device, static_cast<std::size_t>(count));
  std::vector<float> on_host(static_cast<std::size_t>(count));
  std::vector<Row> rows;
  const auto call_of = [&kernels, data = a.data(), count](const Row& row) {
    return [&kernels, data, count, launch = row.launch] { kernels.increment(data, count, launch); };
  };
  for (const IncrementLaunch& launch : kernels.increments) {
    Row& row = rows.emplace_back(Row{launch});
    if (kernels.resident) {
      const int blocks = kernels.resident(launch);
      row.occupancy =
          static_cast<double>(blocks) * text_threads / static_cast<double>(kernels.limits.threads);
      row.bytes_in_flight = bytes_in_flight(launch, kernels.sms, blocks);
    }
    bench.progress("verify increment");
    for (std::size_t i = 0; i < on_host.size(); ++i) on_host[i] = static_cast<float>(i % 1024);
    a.upload(on_host);
    kernels.device->seconds(call_of(row));
    a.download(on_host);
    row.fault = fault_of(on_host);
  }
  bench.time("increment", *kernels.device, rows, is_right<Row>, call_of);
  for (Row& row : rows) {
    if (row.seconds.median > 0)
      row.gbs = 2e-9 * sizeof(float) * static_cast<double>(count) / row.seconds.median;
  }
  return rows;
}

inline std::vector<ExperimentTable> run(const Workbench& bench) {
  return tables_of(bench, &TextKernels::increment, bench.sizes.elements, Index{64} << 20, Index{64} << 20,
                   [&](const TextKernels& kernels, Index count) {
                     return table_of(kernels, count, measure(bench, kernels, count));
                   });
}

}  // namespace rooftile::perf::increment
