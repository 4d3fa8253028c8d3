// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "detect.hpp"

#include <deque>
#include <thread>

#include <sys/utsname.h>

#include "cpuinfo.hpp"

namespace rooftile::perf {
namespace {

/// The architecture and its widest vector instructions.
std::string architecture(const std::string& flags) {
  utsname system{};
  uname(&system);
  std::string text = system.machine;
  for (const auto& [flag, name] :
       {std::pair{"avx512f", "AVX-512"}, {"avx2", "AVX2"}, {"sve", "SVE"}, {"asimd", "NEON"}}) {
    if ((' ' + flags + ' ').find(std::string(" ") + flag + ' ') != std::string::npos)
      return text + ' ' + name;
  }
  return text;
}

/// The maximum clock if Linux reports it, otherwise the current clock.
double clock_mhz(const std::string& now) {
  const std::string max_khz = first_word("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (!max_khz.empty()) return std::stod(max_khz) / 1e3;
  return now.empty() ? 0 : std::stod(now);
}

DetectedDevice host_cpu() {
  CpuInfo info = cpu_info();
  DetectedDevice cpu;
  cpu.name = lasting(name_of(info));
  cpu.hardware = hardware_of(info);
  cpu.vendor = model::Vendor::cpu;
  cpu.architecture = lasting(architecture(info["flags"] + info["Features"]));
  cpu.sms = static_cast<int>(std::thread::hardware_concurrency());
  cpu.clock_mhz = clock_mhz(info["cpu MHz"]);
  cpu.l2_bytes = cache_bytes(2);
  cpu.l3_bytes = cache_bytes(3);
  cpu.limits.warp_size = 1;
  cpu.source = "/proc/cpuinfo and /sys/devices/system/cpu";
  return cpu;
}

std::vector<std::function<void(std::vector<DetectedDevice>&)>>& detectors() {
  static std::vector<std::function<void(std::vector<DetectedDevice>&)>> registered;
  return registered;
}

}  // namespace

Detector::Detector(std::function<void(std::vector<DetectedDevice>&)> add) {
  detectors().push_back(std::move(add));
}

std::string_view lasting(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

std::vector<DetectedDevice> detected_devices() {
  std::vector<DetectedDevice> found = {host_cpu()};
  for (const auto& add : detectors()) add(found);
  return found;
}

}  // namespace rooftile::perf
