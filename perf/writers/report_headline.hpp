// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reported_machine.hpp"

namespace rooftile::perf {

/// One sentence about what limits the automatic choices, as plain text: the class of products (bound,
/// alignment, size) that the slow ones belong to more often than all do.
std::string limiting_factor(const std::vector<Result>& results);

/// The headline of a machine, as markup: the ratio to the vendor of each path and mode, and the limiting
/// factor.
std::string headline(const ReportedMachine& machine);

}  // namespace rooftile::perf
