// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace rooftile::perf {

/// Energy counters (RAPL) of Intel and AMD CPU packages in Linux. On most systems, only root can read them.
class Rapl {
 public:
  explicit Rapl(const std::filesystem::path& folder = "/sys/class/powercap") {
    std::error_code none;
    for (const auto& zone : std::filesystem::directory_iterator(folder, none)) {
      std::string name;
      std::ifstream(zone.path() / "name") >>
          name;  // core, dram and uncore are parts of a package or separate from it
      double energy = 0, range = 0;
      if (!name.starts_with("package-") || !read(zone.path() / "energy_uj", energy)) continue;
      if (read(zone.path() / "max_energy_range_uj", range))
        packages_.push_back({zone.path() / "energy_uj", range, energy});
    }
  }

  void begin() {
    for (Package& package : packages_) read(package.counter, package.begun);
  }

  /// Mean power of all packages in W over the last `seconds`; 0: not available, or `seconds` below
  /// `shortest`. The counters are updated once per millisecond.
  double watts(double seconds) const {
    if (seconds < shortest) return 0;
    double microjoules = 0;
    for (const Package& package : packages_) {
      double now = 0;
      if (!read(package.counter, now)) return 0;
      microjoules += now - package.begun + (now < package.begun ? package.range : 0);
    }
    return 1e-6 * microjoules / seconds;
  }

  static constexpr double shortest = 0.02;  // seconds

 private:
  struct Package {
    std::filesystem::path counter;
    double range;  ///< value at which the counter wraps around
    double begun;
  };

  static bool read(const std::filesystem::path& file, double& value) {
    return static_cast<bool>(std::ifstream(file) >> value);
  }

  std::vector<Package> packages_;
};

}  // namespace rooftile::perf
