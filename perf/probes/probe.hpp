// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "../machine.hpp"
#include "../record/record.hpp"

namespace rooftile::perf {

/// Measures something of a kernel beside its time, in runs of its own: who counts slows down what is counted.
/// A file in `probes/` holds one and registers it with a static object.
struct Probe {
  /// @param launch  puts the product into the device's queue, as often as it is called
  /// @return nothing for a device that it has nothing to say of
  using Measure = std::function<std::vector<Metric>(Device& device, const std::function<void()>& launch)>;

  explicit Probe(Measure measure);
};

std::vector<Metric> probed(Device& device, const std::function<void()>& launch);

}  // namespace rooftile::perf
