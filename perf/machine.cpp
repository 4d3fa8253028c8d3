// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <fstream>

#include <unistd.h>

#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

std::vector<const Provider*>& providers() {
  static std::vector<const Provider*> registered;
  return registered;
}

/// What new allocations can have, the page cache among it, in bytes.
double available_host_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  for (double kib = 0; meminfo >> name >> kib; meminfo.ignore(80, '\n')) {
    if (name == "MemAvailable:") return 1024 * kib;
  }
  return static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void require_host_memory(double bytes) {
  const double available = available_host_memory();
  if (bytes > available) {
    throw Error(rooftile::detail::text("out of memory (", 1e-9 * bytes, " GB, ", 1e-9 * available,
                                       " available): take a smaller product"));
  }
}

Provider::Provider(Order order_, std::function<void(Machine&)> add_) : order(order_), add(std::move(add_)) {
  auto& all = providers();
  all.insert(std::upper_bound(all.begin(), all.end(), this,
                              [](const Provider* a, const Provider* b) { return a->order < b->order; }),
             this);
}

Device* Machine::device(const std::string& backend) const {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const auto& device) { return device->backend == backend; });
  return found == devices.end() ? nullptr : found->get();
}

Machine find_machine() {
  Machine machine;
  for (const Provider* provider : providers()) provider->add(machine);
  return machine;
}

}  // namespace rooftile::perf
