// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "tally.hpp"

namespace rooftile::testing {

/// Random cases of the kernels of a path, which shrink to smaller and plainer ones.
/// @param cell  that they are in, but for a few that are too large to stay in it; none: of any
/// @pre a kernel is of the cell's mode
rc::Gen<Case> cases_of(const std::string& path, const std::vector<KernelName>& kernels, const Limits& limits,
                       const std::optional<Cell>& cell = {});

/// Cases that a failing one may shrink to, the smallest first.
std::vector<Case> smaller(const Case& c);

}  // namespace rooftile::testing
