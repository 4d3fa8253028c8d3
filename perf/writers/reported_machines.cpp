// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "reported_machines.hpp"

#include <algorithm>

#include "output.hpp"

namespace rooftile::perf {

std::string ReportedMachine::title() const {
  std::string threads = device->threads > 0 ? ", " + counted(device->threads, "thread") : "";
  if (device->ranks > 0)
    threads = ", " + counted(device->ranks, "process", "processes") + " of" + threads.substr(1);
  return fmt::format("{} ({}{})", identity(*device), device->backend, threads);
}

std::vector<ReportedMachine> machines_in(const std::vector<NamedRun>& runs) {
  std::vector<ReportedMachine> machines;
  for (const NamedRun& named : runs) {
    for (const MeasuredDevice& device : named.run.devices) {
      auto found = std::find_if(machines.begin(), machines.end(), [&](const ReportedMachine& m) {
        return identity(*m.device) == identity(device) && m.device->backend == device.backend &&
               m.device->threads == device.threads && m.device->ranks == device.ranks;
      });
      if (found == machines.end()) found = machines.insert(found, {&device, {}});
      for (const Result& r : named.run.results) {
        if (r.device == device.name && r.backend == device.backend) found->results.push_back(&r);
      }
    }
  }
  return machines;
}

}  // namespace rooftile::perf
