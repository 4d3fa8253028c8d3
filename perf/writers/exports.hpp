// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../record/json_value.hpp"
#include "../record/record.hpp"

/// A run in the formats of other tools.
namespace rooftile::perf {

/// A line for each result below one with the columns' names (RFC 4180, but lines end as on Unix); empty where
/// nothing is known.
std::string csv(const Run& run);

/// As Google Benchmark's own `--benchmark_format=json`: each sample is a repetition, so that its tools test
/// them; of files without samples, and always at the end, the median is an aggregate. There is no time of the
/// CPU alone: `cpu_time` is the `real_time`.
Json google_benchmark(const Run& run);

}  // namespace rooftile::perf
