// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/cpu_group.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rooftile::detail {

namespace {

/// Products that are computed by one thread each.
class Independent {
 public:
  /// @param work  multiply-adds of the product
  void add(Index number, double work) {
    magnitudes_[static_cast<std::size_t>(std::clamp(std::ilogb(work), 0, max_magnitude))].push_back(
        {number, work});
    work_ += work;
  }
  double work() const { return work_; }

  /// Sorts the products by size, large ones first, so that all threads end at a similar time. Forms chunks
  /// that are large enough to amortize fetching.
  void share(CpuGroup& group) const {
    constexpr double worth_fetching = cpu_costs.waking / 8;
    double piece = worth_fetching;
    for (auto magnitude = magnitudes_.rbegin(); magnitude != magnitudes_.rend(); ++magnitude) {
      for (const auto& [number, work] : *magnitude) {
        if (piece >= worth_fetching) group.begins.push_back(group.independent.size()), piece = 0;
        group.independent.push_back(number);
        piece += work;
      }
    }
    group.begins.push_back(group.independent.size());
  }

 private:
  struct Product {
    Index number;
    double work;
  };
  static constexpr int max_magnitude = 63;

  std::array<std::vector<Product>, max_magnitude + 1> magnitudes_;  // by ⌊log2⌋ of the work
  double work_ = 0;
};

}  // namespace

CpuGroup plan_cpu_group(const std::vector<CpuProduct>& products, const TileShape& real, int threads) {
  CpuGroup group;
  group.plans.resize(products.size());
  Independent independent;
  std::vector<std::pair<Index, CpuPlan>> of_cores;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const CpuProduct& product = products[i];
    if (product.shape.m == 0 || product.shape.n == 0) continue;
    CpuPlan& plan = group.plans[i];
    plan = plan_on_cpu(product, real, threads);
    const auto number = static_cast<Index>(i);
    if (threads == 1 || plan.parts != CpuParts::none) {
      group.cooperative.push_back(number);
    } else if (plan.single_threaded) {
      independent.add(number, multiply_adds(product));
    } else if (const CpuPlan by_one = plan_for_one(product, real); by_one.single_threaded || by_one.in_l2) {
      of_cores.emplace_back(number, by_one);
    } else {
      group.cooperative.push_back(number);
    }
  }
  for (const auto& [number, by_one] : of_cores) {
    if (static_cast<Index>(of_cores.size()) < threads) {
      group.cooperative.push_back(number);
    } else {
      group.plans[static_cast<std::size_t>(number)] = by_one;
      independent.add(number, multiply_adds(products[static_cast<std::size_t>(number)]));
    }
  }
  independent.share(group);
  if (independent.work() <= cpu_costs.waking) {  // waking other threads would take longer
    group.cooperative.insert(group.cooperative.end(), group.independent.begin(), group.independent.end());
    group.independent.clear();
  }
  return group;
}

}  // namespace rooftile::detail
