// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

/// Quantities derived from the hardware counters of one call, and the values that the model gives for them.
namespace rooftile::perf {

/// @return empty if the counter was not read
std::optional<double> counter(const std::vector<Metric>& counters, std::string_view tag);

/// FLOP of all types, counted from vector and matrix instructions. @return empty if none were counted
std::optional<double> counted_flops(const std::vector<Metric>& counters);

/// Bytes that a level of memory transferred. A GPU counts bytes; a CPU counts cache misses, each of a 64-byte
/// line.
std::optional<double> counted_bytes(const std::vector<Metric>& counters, std::string_view bytes,
                                    std::string_view misses);

/// Bytes between the threads and L1 or shared memory: L1 sectors plus shared-memory passes, each as wide as
/// all banks.
std::optional<double> counted_inner_bytes(const std::vector<Metric>& counters);

/// Warp stall reasons, longest first: `long_scoreboard 5.2, barrier 1.1`; empty if not read.
std::string stalls_in_words(const std::vector<Metric>& counters);

/// FLOP of all products of one call; 0: nothing is multiplied.
double modelled_flops(const Result& r);

/// Bytes of one call if each operand moves once; 0: nothing is multiplied.
double modelled_bytes(const Result& r);

}  // namespace rooftile::perf
