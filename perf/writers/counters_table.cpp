// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "counters_table.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "../record/counters.hpp"
#include "output.hpp"

namespace rooftile::perf {
namespace {

std::string scaled(std::optional<double> value, double scale) {
  return value ? fmt::format("{:.4g}", scale * *value) : "";
}

std::string of_model(std::optional<double> value, double model) {
  return value && model > 0 ? fmt::format("{:.4g}", *value / model) : "";
}

auto counter_cell(const char* tag, double scale = 1) {
  return [=](const Result& r) { return scaled(counter(r.counters, tag), scale); };
}

}  // namespace

const std::vector<CountersColumn>& counters_columns() {
  static const std::vector<CountersColumn> columns = {
      {"GFLOP", [](const Result& r) { return scaled(counted_flops(r.counters), 1e-9); }},
      {"of model", [](const Result& r) { return of_model(counted_flops(r.counters), modelled_flops(r)); }},
      {"DRAM MB", counter_cell("dram_bytes", 1e-6)},
      {"of model",
       [](const Result& r) { return of_model(counter(r.counters, "dram_bytes"), modelled_bytes(r)); }},
      {"L2 MB", counter_cell("l2_bytes", 1e-6)},
      {"L1 MB", counter_cell("l1_bytes", 1e-6)},
      {"shared MB", counter_cell("shared_bytes", 1e-6)},
      {"conflicts", counter_cell("shared_bank_conflicts")},
      {"occupancy %", counter_cell("occupancy")},
      {"threads", counter_cell("threads_per_instruction")},
      {"registers", counter_cell("registers")},
      {"local B", counter_cell("local_per_thread")},
      {"instructions", counter_cell("instructions")},
      {"L3 misses", counter_cell("l3_misses")},
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
