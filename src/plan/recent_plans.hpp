// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plan/plan.hpp"

namespace rooftile::detail {

/// The path and the device of a product. With the element types, they determine the target.
struct PathOnDevice {
  Path path;
  int device;  ///< device number

  friend constexpr bool operator==(const PathOnDevice&, const PathOnDevice&) = default;
};

/// A cache of a thread's recent plans for GPUs. Codes repeat shapes, and making a plan takes up to 4 µs,
/// nearly as long as a kernel launch.
class RecentPlans {
 public:
  /// Calls f with a cached plan, or with the result of `make`.
  /// @param where  its target never changes, hence a plan depends only on `where`, `desc` and `options`
  template <class Make, class F>
  void with_plan(const PathOnDevice& where, const GemmDesc& desc, const GemmOptions& options,
                 const Make& make, const F& f) {
    if (options.tuning != nullptr) return f(make());  // the table may have changed
    Entry& entry = entries_[place_of(desc.shape)];
    if (entry.where != where || entry.desc != desc || entry.options != options)
      entry = {where, desc, options, make()};
    const GemmPlan plan = entry.plan;  // a copy: f may compute other products
    f(plan);
  }

  /// The number of cached plans. A new plan replaces the plan in its slot.
  static constexpr std::size_t count = 8;

  /// Returns the slot of a shape.
  static constexpr std::size_t place_of(const GemmShape& shape) {
    const auto of = [](Index x) { return static_cast<std::uint64_t>(x); };
    const std::uint64_t mixed = (of(shape.m) * 31 + of(shape.n)) * 31 + of(shape.k);
    return static_cast<std::size_t>((mixed * 0x9E3779B97F4A7C15) >> 61);  // Fibonacci hashing (golden ratio)
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

/// Returns the cache of the calling thread.
inline RecentPlans& recent_plans() {
  thread_local RecentPlans plans;
  return plans;
}

}  // namespace rooftile::detail
