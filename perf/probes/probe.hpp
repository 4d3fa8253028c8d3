// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "../machine.hpp"
#include "../record/record.hpp"

namespace rooftile::perf {

/// Measures a metric other than time, in separate runs because counting slows the kernel down. Each file in
/// `probes/` registers one static Probe.
struct Probe {
  /// @param launch  enqueues the product; may be called repeatedly
  /// @return empty if the metric does not apply to the device
  using Measure = std::function<std::vector<Metric>(Device& device, const std::function<void()>& launch)>;

  explicit Probe(Measure measure);
};

std::vector<Metric> probed(Device& device, const std::function<void()>& launch);

}  // namespace rooftile::perf
