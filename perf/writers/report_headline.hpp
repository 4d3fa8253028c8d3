// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reported_machine.hpp"

namespace rooftile::perf {

/// One sentence, as plain text, about what limits the automatic choices. It names the class of products
/// (bound, alignment, size) that is most overrepresented among the slow products.
std::string limiting_factor(const std::vector<Result>& results);

/// The headline of a machine as markup: the vendor ratio of each path and mode, and the limiting factor.
std::string headline(const ReportedMachine& machine);

}  // namespace rooftile::perf
