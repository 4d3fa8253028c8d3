// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plan/plan.hpp"

namespace rooftile::detail {

/// Where products are computed: all that a target follows from, beside their types.
struct PathOnDevice {
  Path path;
  int device;  ///< its number

  friend constexpr bool operator==(const PathOnDevice&, const PathOnDevice&) = default;
};

/// Plans of a thread's recent calls on GPUs. Codes multiply the same shapes again and again, and to make a
/// plan takes a CPU up to 4 µs, nearly as long as to start its kernel.
class RecentPlans {
 public:
  /// Calls f with the plan of such products: with a recent one, or else with what `make` returns.
  /// @param where  whose target never changes, so that a plan depends on the three alone
  template <class Make, class F>
  void with_plan(const PathOnDevice& where, const GemmDesc& desc, const GemmOptions& options,
                 const Make& make, const F& f) {
    if (options.tuning != nullptr) return f(make());  // a table may have been changed
    Entry& entry = entries_[place_of(desc.shape)];
    if (entry.where != where || entry.desc != desc || entry.options != options)
      entry = {where, desc, options, make()};
    const GemmPlan plan = entry.plan;  // f may compute other products
    f(plan);
  }

  /// How many are kept: one at a time of the shapes that share a place.
  static constexpr std::size_t count = 8;

  /// Where the plan of a product of this shape is kept.
  static constexpr std::size_t place_of(const GemmShape& shape) {
    const auto of = [](Index x) { return static_cast<std::uint64_t>(x); };
    const std::uint64_t mixed = (of(shape.m) * 31 + of(shape.n)) * 31 + of(shape.k);
    return static_cast<std::size_t>((mixed * 0x9E3779B97F4A7C15) >> 61);  // the golden ratio's bits
  }

 private:
  struct Entry {
    PathOnDevice where{Path::portable, -1};
    GemmDesc desc = {};
    GemmOptions options = {};
    GemmPlan plan = {};
  };
  std::array<Entry, count> entries_;
};

/// Those of the calling thread.
inline RecentPlans& recent_plans() {
  thread_local RecentPlans plans;
  return plans;
}

}  // namespace rooftile::detail
