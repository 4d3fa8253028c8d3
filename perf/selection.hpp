// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/error.hpp"
#include "rooftile/tuning_file.hpp"

namespace rooftile::perf {

/// The tuning table that a command is about to replace; empty if the file is missing or not of this version.
inline TuningTable table_there(const std::string& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return {};
  try {
    return read_tuning(file);
  } catch (const Error&) {
    return {};
  }
}

/// Whether the list selects the item. An empty list selects everything.
inline bool contains(const std::vector<std::string>& list, std::string_view item) {
  return list.empty() || std::find(list.begin(), list.end(), item) != list.end();
}

/// Whether a mode is measured only if named. On CPUs, fp64 from int8 is a reference slower than fp64; on GPUs
/// its speed depends on the operands' values.
constexpr bool is_measured_if_named(ComputeMode math) {
  return takes_residues(math);
}

inline bool is_layout(const std::string& letters) {
  return letters.size() == 3 && letters.find_first_not_of("rc") == std::string::npos;
}

inline void require_layout(const std::string& layout) {
  if (is_layout(layout)) return;
  throw Error(detail::text("not a layout (--layout ", layout,
                           "): write r (row-major) or c (column-major) for A, B and C, such as rcr"));
}

}  // namespace rooftile::perf
