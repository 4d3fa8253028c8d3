// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// The file that holds the last run of `rooftile bench`, for `rooftile report` without arguments.
namespace rooftile::perf {

/// `last.json` in `$XDG_STATE_HOME/rooftile`, or in `~/.local/state/rooftile`; empty where neither variable
/// names a folder.
std::string last_run_path();

/// Replaces the file. A problem is one line on standard error, since it must not end the run.
void keep_last_run(const std::string& json);

/// @return the path of the file. @throws Error where there is none
std::string require_last_run();

}  // namespace rooftile::perf
