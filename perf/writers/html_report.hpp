// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reported_machines.hpp"

namespace rooftile::perf {

/// A page that needs no other file and no network: all results in tables, and where the build has Chart.js, a
/// chart of them. It is XML as well as HTML.
std::string html_report(const std::vector<NamedRun>& runs, const std::vector<ReportedMachine>& machines);

/// Whether the build has Chart.js.
bool has_charts();

}  // namespace rooftile::perf
