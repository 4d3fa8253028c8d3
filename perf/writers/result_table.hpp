// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../record/record.hpp"

namespace rooftile::perf {

/// The results of one product as a table; `title` names the product. Each metric of which there is any has a
/// column; what cannot run here stands in one line below.
void print_table(const std::string& title, const std::vector<Result>& results);

/// One product's best results in one line: the times of each path, the fastest vendor's over ours, the share
/// of the roof and the bound of our kernel. Wrong results have a line each.
void print_headings_of_best();
void print_best(const std::vector<Result>& results);

void print_summaries(const std::vector<Summary>& summaries);

/// What a replay says at its end: for each path, the calls of the log by the time that all of them take.
/// @param left_out  what of the log is not there, a line each
void print_replay(const std::vector<Result>& results, const std::vector<std::string>& left_out);

}  // namespace rooftile::perf
