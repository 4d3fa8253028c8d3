// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "../machine.hpp"
#include "../record/record.hpp"

namespace rooftile::perf {

/// Counters are not available; what() states the remedy.
class NoCounters : public Error {
 public:
  using Error::Error;
};

struct Counted {
  Device& device;
  /// Each function enqueues one call. It is called repeatedly, because one pass cannot hold all counters.
  std::span<const std::function<void()>> launches;
  bool cold = false;  ///< flush the caches before each counted call
};

/// The metrics of each call.
using MetricsOfCalls = std::vector<std::vector<Metric>>;

/// A library that reads hardware counters of one kind of device. Each file in a folder of `probes/` registers
/// one static CounterSource; the build decides which files are compiled.
struct CounterSource {
  std::function<bool(const Device&)> is_for;
  std::function<MetricsOfCalls(const Counted&)> count;

  CounterSource(std::function<bool(const Device&)> is_for, decltype(count) count);
};

/// Reads the counters of calls. Metrics have the order of the tables (docs/bench.md). All calls share the
/// passes, since starting and ending a pass takes longer than most calls.
/// @throws NoCounters if the device has no counters or they cannot be read
MetricsOfCalls counted(const Counted& what);

/// Reads the counters of calls, on each device until reading fails.
class Counters {
 public:
  /// @return no metrics if the device's counters are not available
  MetricsOfCalls of(const Counted& what);

  /// The failures since the last call of this function: device and reason.
  std::vector<Absent> refused() { return std::exchange(refused_, {}); }

 private:
  std::set<const Device*> without_;
  std::vector<Absent> refused_;
};

}  // namespace rooftile::perf
