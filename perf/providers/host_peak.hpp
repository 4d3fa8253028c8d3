// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "../measure/ceilings.hpp"
#include "cpu/instruction_set.hpp"

/// The multiply-adds that a core's vectors can do at most, as each set of instructions has them.
namespace rooftile::perf {

/// Chains of multiply-adds side by side: 4 cycles of latency times 2 units, and two to spare.
inline constexpr int host_chains = 10;

/// Sums that a level of memory's reads go to, side by side.
inline constexpr int host_sums = 8;

struct HostPeak {
  int vector_bytes;
  /// @{
  /// `fma_steps` of `host_chains` chains of vectors; the sum of one lane.
  float (*fp32)(float seed);
  double (*fp64)(double seed);
  /// @}
  /// @{
  /// Lane 0 of the sum of chains that begin with their numbers and add products of ones: two of bf16 in each
  /// lane of 32 bits, or four of int8. Null where the set has no such instruction.
  float (*bf16)();
  std::int32_t (*int8)();
  /// @}
  /// The sum of `count` ones, a multiple of `host_sums` vectors, as often as is said.
  float (*read)(const float* ones, std::size_t count, int times);
};

}  // namespace rooftile::perf

#define INSTRUCTION_SET(name) extern "C" const rooftile::perf::HostPeak rooftile_host_peak_##name;
#include "instruction_sets.inc"
#undef INSTRUCTION_SET
