// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "plan/cpu_plan.hpp"

/// Distribution of a group of products among the threads of a CPU.
namespace rooftile::detail {

/// The distribution of a group. Products are numbered as in the call.
struct CpuGroup {
  std::vector<CpuPlan> plans;       ///< plan of each product; default for an empty C
  std::vector<Index> cooperative;   ///< computed by all threads together, one after the other
  std::vector<Index> independent;   ///< computed by one thread each, large ones first
  std::vector<std::size_t> begins;  ///< chunks of `independent` that threads fetch: their begins, and the end
};

/// Distributes the products of a group. One thread computes a small product, and also a product whose
/// operands fit L2 if there are enough products for all threads. @param real  blocks of real numbers
CpuGroup plan_cpu_group(const std::vector<CpuProduct>& products, const TileShape& real, int threads);

}  // namespace rooftile::detail
