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

/// The experiments of the teaching texts on the machine at hand. A file of this folder has one: what it
/// times, what it holds for wrong, and what it reads out of its numbers.
namespace rooftile::perf {

/// A column of a table, and how a row calls its value.
struct Column {
  std::string key, heading;
};

/// What an experiment found on one path of one device.
struct ExperimentTable {
  const Device* device = nullptr;
  std::string path;
  std::string size{};  ///< such as `64 Mi elements`
  std::vector<Column> columns{};
  std::vector<Json> rows{};           ///< values by the columns' keys; null: nothing to say
  std::vector<std::string> faults{};  ///< what was computed wrongly; a row of that has no rate
  std::string reading{};              ///< what the numbers say, made of them
};

/// How much is computed; 0: what the texts do, on CPUs less.
struct ExperimentSizes {
  Index elements = 0;  ///< of the vectors of `increment` and `add`
  Index threads = 0;   ///< of `divergence`
  Index values = 0;    ///< of `registers`
  Index order = 0;     ///< of the matrix of `transpose`
  GemmShape shape{};   ///< of `products` and `tiles`

  /// What was asked for, else a default of the kind of device.
  template <class Size>
  static Size of(const Size& asked, const Device& device, const Size& gpu, const Size& cpu) {
    return asked != Size{} ? asked : is_gpu(device) ? gpu : cpu;
  }
};

struct Workbench {
  Machine& machine;
  std::vector<TextKernels> paths;  ///< on the devices that are to be measured
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

  /// Times the rows that are right, by the call of each.
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
  std::string_view claim;   ///< of the texts
  std::string_view source;  ///< of the claim
  std::vector<ExperimentTable> (*run)(const Workbench&);
};

/// All, in the order in which a reader meets them.
std::span<const TextExperiment> text_experiments();

/// `64 Mi`, `1,000` and so on.
inline std::string in_words(Index count) {
  for (const auto& [unit, name] :
       {std::pair{Index{1} << 30, "Gi"}, {Index{1} << 20, "Mi"}, {Index{1} << 10, "Ki"}}) {
    if (count >= unit && count % unit == 0) return fmt::format("{} {}", count / unit, name);
  }
  return fmt::format("{}", count);
}

/// The row of those that a condition holds for whose value is the greatest; null: none.
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

/// A table of each path that has the experiment's kernel. @param asked  what sizes are asked for
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

/// A value that a table may lack.
inline Json or_nothing(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

}  // namespace rooftile::perf
