// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/ceilings.hpp"
#include "backends/openmp/instruction_set.hpp"

/// The multiply-adds that a core's vectors can do at most, as each set of instructions has them.
namespace rooftile::perf {

/// Chains of multiply-adds side by side: 4 cycles of latency times 2 units, and two to spare.
inline constexpr int host_chains = 10;

struct HostPeak {
  int vector_bytes;
  /// @{
  /// `fma_steps` of `host_chains` chains of vectors; the sum of one lane.
  float (*fp32)(float seed);
  double (*fp64)(double seed);
  /// @}
};

}  // namespace rooftile::perf

#define INSTRUCTION_SET(name) extern "C" const rooftile::perf::HostPeak rooftile_host_peak_##name;
#include "instruction_sets.inc"
#undef INSTRUCTION_SET
