// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "library.hpp"

namespace rooftile::perf {

/// How the kernels of a call were launched, as CUPTI's activity records tell: how many there are, and of the
/// one that took longest its registers and memory. No counters, hence no permission.
std::vector<Metric> launches_of(const CuptiLibrary& cupti, const std::function<void()>& call);

}  // namespace rooftile::perf
