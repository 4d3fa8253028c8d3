// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "figures.hpp"

namespace rooftile::perf {

/// A page that needs nothing else: no file beside it, nothing from a network, and without script it has all
/// there is. It is XML as well as HTML.
/// @param machines     of the runs
/// @param figures      of the machines
/// @param interactive  also the chart that can be asked, where the build has a library for it
std::string html_report(const std::vector<NamedRun>& runs, const std::vector<ReportedMachine>& machines,
                        const std::vector<Figure>& figures, bool interactive);

/// Whether the build has the library that such a chart needs.
bool can_be_interactive();

}  // namespace rooftile::perf
