// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <fstream>
#include <istream>
#include <map>
#include <string>
#include <system_error>

#include "../record/hardware.hpp"

/// How Linux describes a CPU.
namespace rooftile::perf {

using CpuInfo = std::map<std::string, std::string>;

/// `name : value` lines of the first CPU.
inline CpuInfo cpu_info(std::istream& file) {
  CpuInfo found;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::size_t name_end = line.find_last_not_of(" \t", colon - 1);
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    if (value != line.npos) found[line.substr(0, name_end + 1)] = line.substr(value);
  }
  return found;
}

/// This machine's.
inline CpuInfo cpu_info() {
  std::ifstream file("/proc/cpuinfo");
  return cpu_info(file);
}

inline std::string name_of(const CpuInfo& cpu) {
  const auto found = cpu.find("model name");
  return found == cpu.end() ? "CPU" : found->second;
}

/// Nothing, unless both numbers are there: other architectures have texts by these names, or neither.
inline Hardware hardware_of(const CpuInfo& cpu) {
  const auto is_read = [&](const char* name, int& number) {
    const auto found = cpu.find(name);
    if (found == cpu.end()) return false;
    const char* const end = found->second.data() + found->second.size();
    const auto [read_to, problem] = std::from_chars(found->second.data(), end, number);
    return problem == std::errc() && read_to == end && number >= 0;
  };
  Hardware hardware;
  return is_read("cpu family", hardware.family) && is_read("model", hardware.model) ? hardware : Hardware();
}

}  // namespace rooftile::perf
