// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "../record/json_value.hpp"

namespace rooftile::perf {

/// A text table. The first column is left-aligned, the others are right-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }

  void add(std::vector<std::string> row) {
    widths_.resize(std::max(widths_.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], row[i].size());
    rows_.push_back(std::move(row));
  }

  void print() const {
    for (const auto& row : rows_) {
      fmt::print("{:<{}}", row[0], widths_[0]);
      for (std::size_t i = 1; i < row.size(); ++i) fmt::print("  {:>{}}", row[i], widths_[i]);
      fmt::print("\n");
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

template <class... Values>
void print_line(std::string_view name, fmt::format_string<Values...> format, Values&&... values) {
  fmt::print("{:<19}{}\n", name, fmt::format(format, std::forward<Values>(values)...));
}

/// The texts that `of` gives for each element, separated by commas.
template <class Range, class Of>
std::string listed(const Range& range, const Of& of) {
  std::string text;
  for (const auto& each : range) {
    if (!text.empty()) text += ", ";
    text += of(each);
  }
  return text;
}

/// `7.5 %`
inline std::string percent(double fraction) {
  return fmt::format("{:.4g} %", 100 * fraction);
}

/// A number with its noun: `1 block`, `2 blocks`, `2 matrices`.
template <class Number>
std::string counted(Number count, std::string_view thing, std::string_view things = "") {
  if (count != 1 && !things.empty()) return fmt::format("{} {}", count, things);
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// A rate given in units of 10⁹: `388.8 GB/s`, `19.5 TB/s`.
inline std::string rate(double giga, std::string_view unit) {
  return giga < 1e4 ? fmt::format("{:.4g} G{}", giga, unit) : fmt::format("{:.4g} T{}", giga / 1e3, unit);
}

/// A number as text; 0 means not known and becomes a dash.
inline std::string or_dash(double value) {
  return value > 0 ? fmt::format("{:.8g}", value) : "-";
}
inline Json or_null(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

inline void print_json(const Json& json) {
  fmt::print("{}\n", json.dump(2));
}

/// Prints the results of a command as JSON, or as text with `print()`.
template <class Print>
void print_either(bool as_json, const Json& json, const Print& print) {
  if (as_json) return print_json(json);
  print();
}

}  // namespace rooftile::perf
