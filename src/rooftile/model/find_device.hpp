// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/error.hpp"
#include "rooftile/model/device_table.hpp"

namespace rooftile::model {

namespace detail {

/// Returns the letters and digits of a name in lower case.
inline std::string squeezed(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte)) key += static_cast<char>(std::tolower(byte));
  }
  return key;
}

/// The Levenshtein distance: insertions, deletions and replacements that turn `a` into `b`.
inline std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

/// The distance of a device from a name: 0 if one contains the other, otherwise the edits.
inline std::size_t distance(const Device& device, std::string_view wanted) {
  std::size_t min_edits = wanted.size() + 64;
  for (const std::string& name : {squeezed(device.name), squeezed(device.alias)}) {
    const bool inside =
        wanted.size() > 1 && (name.find(wanted) != name.npos || wanted.find(name) != wanted.npos);
    min_edits = std::min(min_edits, inside ? 0 : edits(name, wanted));
  }
  return min_edits;
}

inline std::string near_names(std::string_view wanted) {
  std::vector<std::pair<std::size_t, const Device*>> all;
  for (const Device& device : devices) all.emplace_back(distance(device, wanted), &device);
  std::sort(all.begin(), all.end());
  const std::size_t shown = 3;
  std::string names;
  for (std::size_t i = 0; i < shown; ++i) {
    names += (i == 0 ? "" : i + 1 < shown ? ", " : " or ") + std::string(all[i].second->name);
  }
  return names;
}

}  // namespace detail

/// Returns the built-in device with a name or alias. Case, spaces and punctuation do not matter.
/// @throws Error  for an unknown name, with the nearest names
inline const Device& find_device(std::string_view name) {
  const std::string wanted = detail::squeezed(name);
  for (const Device& device : devices) {
    if (wanted == detail::squeezed(device.name) || wanted == detail::squeezed(device.alias)) return device;
  }
  throw Error(
      rooftile::detail::text("unknown device (", name, "): did you mean ", detail::near_names(wanted), "?"));
}

/// Returns the built-in device for a name of the driver, such as "NVIDIA H200", or null.
inline const Device* built_in_like(std::string_view reported) {
  const std::string key = detail::squeezed(reported);
  const Device* best = nullptr;
  for (const Device& device : devices) {
    if (device.vendor == Vendor::cpu || key.find(detail::squeezed(device.name)) == key.npos) continue;
    if (!best || device.name.size() > best->name.size()) best = &device;
  }
  return best;
}

}  // namespace rooftile::model
