// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <fstream>
#include <istream>
#include <map>
#include <string>
#include <system_error>

#include <unistd.h>

#include "../record/hardware.hpp"
#include "rooftile/model/limits.hpp"

namespace rooftile::perf {

using CpuInfo = std::map<std::string, std::string>;

/// Reads the `name : value` lines of the first CPU.
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

inline CpuInfo cpu_info() {
  std::ifstream file("/proc/cpuinfo");
  return cpu_info(file);
}

inline std::string first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// Size in bytes of the data or unified cache of level 1, 2 or 3 of the first core. Reads sysfs, or the C
/// library if sysfs lacks the value, as in some virtual machines; 0 if neither has it.
inline model::Count cache_bytes(int level) {
  for (int index = 0;; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + '/';
    const std::string size = first_word(folder + "size");
    if (size.empty()) break;
    if (first_word(folder + "level") != std::to_string(level) || first_word(folder + "type") == "Instruction")
      continue;
    return 1024 * model::Count{std::stoi(size)};
  }
#ifdef __GLIBC__
  const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  return std::max(sysconf(names[level - 1]), 0L);
#else
  return 0;
#endif
}

inline std::string name_of(const CpuInfo& cpu) {
  const auto found = cpu.find("model name");
  return found == cpu.end() ? "CPU" : found->second;
}

/// Empty unless both are numbers: on other architectures these fields are missing or contain text.
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
