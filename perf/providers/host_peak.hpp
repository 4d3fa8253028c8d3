// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "../measure/ceilings.hpp"
#include "cpu/instruction_set.hpp"

/// Kernels for the peak rate of a core's vector multiply-adds, compiled for each instruction set.
namespace rooftile::perf {

/// Independent chains of multiply-adds: 4 cycles of latency times 2 units, plus two.
inline constexpr int host_chains = 10;

/// Independent sums for reads of a cache level.
inline constexpr int host_sums = 8;

struct HostPeak {
  int vector_bytes;
  /// @{
  /// Runs `host_chains` chains of `fma_steps` vector multiply-adds; returns the sum of one lane.
  float (*fp32)(float seed);
  double (*fp64)(double seed);
  /// @}
  /// @{
  /// Lane 0 of the sum of dot-product chains. Each chain starts with its index and adds products of ones: two
  /// of bf16 per 32-bit lane, or four of int8. Null if the instruction set has no such instruction.
  float (*bf16)();
  std::int32_t (*int8)();
  /// @}
  /// The sum of `count` ones, read `times` times. @pre count is a multiple of `host_sums` vectors
  float (*read)(const float* ones, std::size_t count, int times);
};

}  // namespace rooftile::perf

#define INSTRUCTION_SET(name) extern "C" const rooftile::perf::HostPeak rooftile_host_peak_##name;
#include "instruction_sets.inc"
#undef INSTRUCTION_SET
