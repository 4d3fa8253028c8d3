// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reported_machine.hpp"

namespace rooftile::perf {

/// All results and ceilings as JSON for the page's script. To keep it short, each text appears once and is
/// referenced by index.
std::string report_records(const std::vector<ReportedMachine>& machines);

}  // namespace rooftile::perf
