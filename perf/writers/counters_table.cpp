// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "counters_table.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "../record/counters.hpp"
#include "output.hpp"

namespace rooftile::perf {
namespace {

std::string scaled(std::optional<double> value, double scale) {
  return value ? fmt::format("{:.4g}", scale * *value) : "";
}

/// A counter over what the model says.
std::string of_model(std::optional<double> value, double model) {
  return value && model > 0 ? fmt::format("{:.4g}", *value / model) : "";
}

template <const std::string_view& tag>
std::string megabytes(const Result& r) {
  return scaled(counter(r.counters, tag), 1e-6);
}
template <const std::string_view& tag>
std::string plain(const Result& r) {
  return scaled(counter(r.counters, tag), 1);
}

constexpr std::string_view dram = "dram_bytes", l2 = "l2_bytes", l1 = "l1_bytes", shared = "shared_bytes",
                           conflicts = "shared_bank_conflicts", occupancy = "occupancy",
                           threads = "threads_per_instruction", registers = "registers",
                           local = "local_per_thread", instructions = "instructions", l3 = "l3_misses";

}  // namespace

const std::vector<CountersColumn>& counters_columns() {
  static const std::vector<CountersColumn> columns = {
      {"GFLOP", [](const Result& r) { return scaled(counted_flops(r.counters), 1e-9); }},
      {"of model", [](const Result& r) { return of_model(counted_flops(r.counters), modelled_flops(r)); }},
      {"DRAM MB", megabytes<dram>},
      {"of model", [](const Result& r) { return of_model(counter(r.counters, dram), modelled_bytes(r)); }},
      {"L2 MB", megabytes<l2>},
      {"L1 MB", megabytes<l1>},
      {"shared MB", megabytes<shared>},
      {"conflicts", plain<conflicts>},
      {"occupancy %", plain<occupancy>},
      {"threads", plain<threads>},
      {"registers", plain<registers>},
      {"local B", plain<local>},
      {"instructions", plain<instructions>},
      {"L3 misses", plain<l3>},
      {"stalls", [](const Result& r) { return stalls_in_words(r.counters); }}};
  return columns;
}

void print_counters(const std::vector<Result>& results) {
  std::vector<const Result*> counted;
  for (const Result& r : results) {
    if (!r.counters.empty()) counted.push_back(&r);
  }
  if (counted.empty()) return;
  std::vector<const CountersColumn*> columns;
  std::vector<std::string> header{"counted", "kernel", "tile"};
  for (const CountersColumn& column : counters_columns()) {
    if (std::all_of(counted.begin(), counted.end(), [&](const Result* r) { return column.cell(*r).empty(); }))
      continue;
    columns.push_back(&column);
    header.push_back(column.heading);
  }
  Table table(header);
  for (const Result* r : counted) {
    std::vector<std::string> row{r->path, r->kernel, r->tile};
    for (const CountersColumn* column : columns) {
      const std::string cell = column->cell(*r);
      row.push_back(cell.empty() ? "-" : cell);
    }
    table.add(row);
  }
  table.print();
}

}  // namespace rooftile::perf
