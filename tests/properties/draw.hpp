// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "tally.hpp"

namespace rooftile::testing {

/// Generates random cases for the kernels of a path. Cases shrink to smaller and simpler ones.
/// @param cell  cell of all cases except a few that are too large to stay in it; none: any cell
/// @pre a kernel has the cell's mode
rc::Gen<Case> cases_of(const std::string& path, const std::vector<KernelName>& kernels, const Limits& limits,
                       const std::optional<Cell>& cell = {});

/// The cases to which a failing case may shrink, the smallest first.
std::vector<Case> smaller(const Case& c);

}  // namespace rooftile::testing
