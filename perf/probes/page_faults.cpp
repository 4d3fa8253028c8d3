// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Counts pages that a product on a CPU touches for the first time. A library that keeps its workspace causes
// none.
#include <sys/resource.h>

#include "probe.hpp"

namespace rooftile::perf {
namespace {

double page_faults_so_far() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_minflt + usage.ru_majflt);
}

const Probe page_faults{[](Device& device, const std::function<void()>& launch) -> std::vector<Metric> {
  if (is_gpu(device)) return {};
  const double before = page_faults_so_far();
  device.seconds(launch);
  return {{"page_faults", page_faults_so_far() - before, ""}};
}};

}  // namespace
}  // namespace rooftile::perf
