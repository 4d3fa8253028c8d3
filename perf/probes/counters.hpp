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

/// Why nothing can be counted here; what() says what to do.
class NoCounters : public Error {
 public:
  using Error::Error;
};

struct Counted {
  Device& device;
  /// Each puts one call into the device's queue, as often as it is called: the counters of a pass do not hold
  /// all that is counted.
  std::span<const std::function<void()>> launches;
  bool cold = false;  ///< other data is put into the caches before each counted call
};

/// The metrics of each call.
using MetricsOfCalls = std::vector<std::vector<Metric>>;

/// A library that counts what hardware does, of a kind of devices. A file in a folder of `probes/` holds one
/// and registers it with a static object; what a build leaves out, it does not have.
struct CounterSource {
  std::function<bool(const Device&)> is_for;
  std::function<MetricsOfCalls(const Counted&)> count;

  CounterSource(std::function<bool(const Device&)> is_for, decltype(count) count);
};

/// Counts calls. The metrics have the order in which tables show them (docs/bench.md). All calls share the
/// passes, since beginning and ending a pass takes longer than most calls.
/// @throws NoCounters where there are none for the device, or they cannot be read
MetricsOfCalls counted(const Counted& what);

/// Counts calls, on each device until it is refused.
class Counters {
 public:
  /// @return nothing of any call where the device's counters were refused
  MetricsOfCalls of(const Counted& what);

  /// Since the last question: of a device, and why.
  std::vector<Absent> refused() { return std::exchange(refused_, {}); }

 private:
  std::set<const Device*> without_;
  std::vector<Absent> refused_;
};

}  // namespace rooftile::perf
