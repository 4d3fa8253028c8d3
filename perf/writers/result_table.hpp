// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../record/record.hpp"

namespace rooftile::perf {

/// Prints the results of one product as a table under `title`. Each metric with a value gets a column.
/// Kernels that cannot run are listed below.
void print_table(const std::string& title, const std::vector<Result>& results);

/// Prints one product's best results in one line: the time of each path, the vendor ratio, and the roofline
/// fraction and bound of Rooftile's kernel. Each wrong result gets its own line.
void print_headings_of_best();
void print_best(const std::vector<Result>& results);

void print_summaries(const std::vector<Summary>& summaries);

/// Prints the summary of a replay: for each path, the logged calls sorted by their total time.
/// @param left_out  messages for calls that were not repeated, one per line
void print_replay(const std::vector<Result>& results, const std::vector<std::string>& left_out);

}  // namespace rooftile::perf
