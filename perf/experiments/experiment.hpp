// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "../measure/sampler.hpp"
#include "../record/json_value.hpp"
#include "kernels.hpp"

/// Checks the claims of GPU textbooks on this machine. Each file of this folder holds one experiment: its
/// kernels' times, the checks of its results, and a summary of its numbers.
namespace rooftile::perf {

/// A column of a table, and the key of its values in a row.
struct Column {
  std::string key, heading;
};

/// The results of an experiment for one path on one device.
struct ExperimentTable {
  const Device* device = nullptr;
  std::string path;
  std::string size{};  ///< such as `64 Mi elements`
  std::vector<Column> columns{};
  std::vector<Json> rows{};           ///< values by the columns' keys; null: no value
  std::vector<std::string> faults{};  ///< wrong results; rows with a fault have no rate
  std::string reading{};              ///< summary generated from the numbers
};

/// Problem sizes; 0: the size in the textbooks, smaller on CPUs.
struct ExperimentSizes {
  Index elements = 0;  ///< vector length in `increment` and `add`
  Index threads = 0;   ///< threads in `divergence`
  Index values = 0;    ///< values in `registers`
  Index order = 0;     ///< matrix order in `transpose`
  GemmShape shape{};   ///< product in `products` and `tiles`

  /// The requested size, or else the default for the kind of device.
  template <class Size>
  static Size of(const Size& asked, const Device& device, const Size& gpu, const Size& cpu) {
    return asked != Size{} ? asked : is_gpu(device) ? gpu : cpu;
  }
};

struct Workbench {
  Machine& machine;
  std::vector<TextKernels> paths;  ///< on the selected devices
  ExperimentSizes sizes;
  Sampling sampling;
  std::uint64_t seed = 20261124;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  mutable std::map<const Device*, Ceilings> ceilings{};

  const Ceilings& ceilings_of(Device& device) const {
    const auto found = ceilings.find(&device);
    return found != ceilings.end() ? found->second
                                   : ceilings.emplace(&device, measured_ceilings(device)).first->second;
  }

  /// Times the rows with correct results; `call` gives each row's function.
  template <class Row, class Right, class Call>
  void time(const char* title, Device& device, std::vector<Row>& rows, const Right& is_right,
            const Call& call) const {
    time_rows(rows, sampling, progress, [&](std::size_t i) {
      return is_right(rows[i]) ? std::optional(Timed{title, &device, call(rows[i])}) : std::nullopt;
    });
  }
};

struct TextExperiment {
  std::string_view name;
  std::string_view question;
  std::string_view claim;   ///< claim of the textbooks
  std::string_view source;  ///< source of the claim
  std::vector<ExperimentTable> (*run)(const Workbench&);
};

/// All experiments, in the order of a course.
std::span<const TextExperiment> text_experiments();

/// `64 Mi`, `1,000` and so on.
inline std::string in_words(Index count) {
  for (const auto& [unit, name] :
       {std::pair{Index{1} << 30, "Gi"}, {Index{1} << 20, "Mi"}, {Index{1} << 10, "Ki"}}) {
    if (count >= unit && count % unit == 0) return fmt::format("{} {}", count / unit, name);
  }
  return fmt::format("{}", count);
}

/// The row with the greatest value among the rows for which a condition holds; null: none.
template <class Row, class Holds, class Value>
const Row* greatest(const std::vector<Row>& rows, const Holds& holds, const Value& value) {
  const Row* found = nullptr;
  for (const Row& row : rows) {
    if (holds(row) && (found == nullptr || std::invoke(value, row) > std::invoke(value, *found)))
      found = &row;
  }
  return found;
}

template <class Row>
bool is_right(const Row& row) {
  return row.fault.empty();
}

/// A table for each path that has the experiment's kernel. @param asked  requested size; 0: default
template <class Kernel, class Table>
std::vector<ExperimentTable> tables_of(const Workbench& bench, Kernel TextKernels::*kernel, Index asked,
                                       Index gpu, Index cpu, const Table& table) {
  std::vector<ExperimentTable> tables;
  for (const TextKernels& kernels : bench.paths) {
    if (!(kernels.*kernel)) continue;
    tables.push_back(table(kernels, ExperimentSizes::of(asked, *kernels.device, gpu, cpu)));
  }
  return tables;
}

/// The value, or null for a value of 0.
inline Json or_nothing(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

}  // namespace rooftile::perf
