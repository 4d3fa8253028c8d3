// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "plan/prepare.hpp"
#include "rooftile/detail/for_each_product.hpp"

/// Checks and plans for groups of products of any shapes, which entry points call before a launch.
namespace rooftile::detail {

/// Checks products and normalizes them for kernels. Empty products are kept, so that numbers do not change.
template <class T>
std::vector<GemmArgs<T>> prepared_group(std::span<const GemmArgs<T>> products) {
  std::vector<GemmArgs<T>> ready(products.begin(), products.end());
  for_each_product(ready.size(), [&](std::size_t i) {
    if (is_prepared<T>(ready[i])) {
      check_one<T>(ready[i]);
    } else {
      ready[i] = prepared<T>(ready[i]).first;
    }
  });
  return ready;
}

/// Returns an independent plan for each product.
template <class Engine, class T>
std::vector<GemmPlan> plans_of_group(const Engine& engine, const std::vector<GemmArgs<T>>& ready,
                                     const GemmOptions& options) {
  std::vector<GemmPlan> plans(ready.size());
  for_each_product(ready.size(), [&](std::size_t i) {
    GemmDesc desc = describe<T>(ready[i]);
    if constexpr (Engine::on_cpu) describe_strides<T>(desc, ready[i]);
    plans[i] = engine.plan(desc, options, own_mode<T>());
  });
  return plans;
}

}  // namespace rooftile::detail
