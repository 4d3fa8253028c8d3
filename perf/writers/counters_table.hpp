// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../record/record.hpp"

namespace rooftile::perf {

/// A column of what was counted, and a result's cell in it; empty: not read.
struct CountersColumn {
  std::string heading;
  std::function<std::string(const Result&)> cell;
};

/// The main counters, in the order in which tables show them, each with the model's value where it has one.
const std::vector<CountersColumn>& counters_columns();

void print_counters(const std::vector<Result>& results);

}  // namespace rooftile::perf
