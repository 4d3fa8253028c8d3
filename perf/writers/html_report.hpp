// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reported_machine.hpp"

namespace rooftile::perf {

/// A page that needs no other file and no network: a headline and the environment of each machine, and a
/// script that draws the charts and builds the table of all results. It is XML as well as HTML.
std::string html_report(const std::vector<NamedRun>& runs, const std::vector<ReportedMachine>& machines);

/// Whether the program was built with Chart.js.
bool has_charts();

}  // namespace rooftile::perf
