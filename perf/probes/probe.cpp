// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <algorithm>

namespace rooftile::perf {
Probe::Probe(Measure measure) {
  registered<Probe::Measure>().push_back(std::move(measure));
}

std::vector<Metric> probed(Device& device, const std::function<void()>& launch) {
  std::vector<Metric> metrics;
  for (const Probe::Measure& measure : registered<Probe::Measure>()) {
    const std::vector<Metric> found = measure(device, launch);
    metrics.insert(metrics.end(), found.begin(), found.end());
  }
  std::sort(metrics.begin(), metrics.end(), [](const Metric& a, const Metric& b) { return a.tag < b.tag; });
  return metrics;
}

}  // namespace rooftile::perf
