// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../record/record.hpp"

namespace rooftile::perf {

/// A column for a hardware counter. `cell` gives the text of a result; empty: not read.
struct CountersColumn {
  std::string heading;
  std::function<std::string(const Result&)> cell;
};

/// The main counters in the order of the tables, each next to its modelled value if there is one.
const std::vector<CountersColumn>& counters_columns();

void print_counters(const std::vector<Result>& results);

}  // namespace rooftile::perf
