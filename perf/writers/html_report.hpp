// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reported_machine.hpp"

namespace rooftile::perf {

/// A self-contained page without network access. It holds a headline and the environment of each machine, and
/// a script that draws charts and the table of all results. The page is valid HTML and XML.
std::string html_report(const std::vector<NamedRun>& runs, const std::vector<ReportedMachine>& machines);

/// Whether the program was built with Chart.js.
bool has_charts();

}  // namespace rooftile::perf
