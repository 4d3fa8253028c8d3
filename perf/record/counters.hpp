// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

/// What counters of a call say beside what the model says of it.
namespace rooftile::perf {

/// Nothing where it was not read.
std::optional<double> counter(const std::vector<Metric>& counters, std::string_view tag);

/// Operations of all types, of vector instructions and of matrix instructions; nothing where none were seen.
std::optional<double> counted_flops(const std::vector<Metric>& counters);

/// Bytes behind a level: as a GPU counts them, or a CPU's misses of that level, each a line of 64 bytes.
std::optional<double> counted_bytes(const std::vector<Metric>& counters, std::string_view bytes,
                                    std::string_view misses);

/// What moved between the threads and L1 or shared memory: sectors of L1, and the passes of shared memory,
/// each as wide as all its banks.
std::optional<double> counted_inner_bytes(const std::vector<Metric>& counters);

/// Why warps waited, the longest first: `long_scoreboard 5.2, barrier 1.1`; empty where it was not read.
std::string stalls_in_words(const std::vector<Metric>& counters);

/// Operations of a result's product, or batch of them; 0: nothing is multiplied.
double modelled_flops(const Result& r);

/// Bytes if each operand moves once; 0: nothing is multiplied.
double modelled_bytes(const Result& r);

}  // namespace rooftile::perf
