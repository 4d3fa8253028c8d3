// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "plan/cpu_plan.hpp"

/// How the threads of a CPU divide products of any shapes.
namespace rooftile::detail {

/// The products of a group, by number.
struct CpuGroup {
  std::vector<CpuPlan> plans;       ///< of each; of empty ones nothing
  std::vector<Index> cooperative;   ///< that all threads compute together, one after the other
  std::vector<Index> independent;   ///< that one thread each computes, the larger ones first
  std::vector<std::size_t> begins;  ///< in `independent`, of pieces that threads take one by one; and the end
};

/// Small products get a thread each, and so do those whose operands fit a core's L2, if there are enough for
/// all threads. @param real  the blocks of real numbers
CpuGroup plan_cpu_group(const std::vector<CpuProduct>& products, const TileShape& real, int threads);

}  // namespace rooftile::detail
