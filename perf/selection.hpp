// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "machine.hpp"
#include "rooftile/error.hpp"
#include "rooftile/tuning_file.hpp"

/// What the options of a measuring command choose.
namespace rooftile::perf {

/// The products of a plain run: what shows a device's ceilings, a ragged size, and shapes that starve it.
inline std::vector<GemmShape> default_shapes(const Device& device) {
  if (is_gpu(device)) {
    return {{512, 512, 512},    {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
            {4096, 4096, 4096}, {2000, 3000, 2500}, {4095, 4097, 4093}, {16384, 64, 4096},
            {64, 64, 65536},    {8192, 8192, 64}};
  }
  return {{256, 256, 256}, {512, 512, 512}, {500, 500, 500}, {4096, 64, 512}, {64, 64, 16384}};
}

/// What a file holds that a command is to write anew; nothing where it is no table of this version.
inline TuningTable table_there(const std::string& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return {};
  try {
    return read_tuning(file);
  } catch (const Error&) {
    return {};
  }
}

/// An empty list is no restriction.
inline bool contains(const std::vector<std::string>& list, const std::string& item) {
  return list.empty() || std::find(list.begin(), list.end(), item) != list.end();
}

/// @throws Error for what is no `Layout`
inline void require_layout(const std::string& layout) {
  if (layout.size() == 3 && layout.find_first_not_of("rc") == std::string::npos) return;
  throw Error(
      rooftile::detail::text("not a layout (--layout ", layout,
                             "): write r (row-major) or c (column-major) for A, B and C, such as rcr"));
}

}  // namespace rooftile::perf
