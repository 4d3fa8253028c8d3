// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Stores the last run of `rooftile bench`, which `rooftile report` reads if it has no arguments.
namespace rooftile::perf {

/// `last.json` in `$XDG_STATE_HOME/rooftile` or `~/.local/state/rooftile`; empty if neither variable names a
/// folder.
std::string last_run_path();

/// Replaces the file. A failure prints one line on standard error and does not end the run.
void keep_last_run(const std::string& json);

/// @return the path of the file. @throws Error if it does not exist
std::string require_last_run();

}  // namespace rooftile::perf
