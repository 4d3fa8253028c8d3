// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reported_machine.hpp"

namespace rooftile::perf {

/// All results and ceilings as JSON for the page's script, once each and short: texts are numbers of a list.
std::string report_records(const std::vector<ReportedMachine>& machines);

}  // namespace rooftile::perf
