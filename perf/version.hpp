// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rooftile::perf {

/// What `rooftile --version` prints: the version, and a line each for the commit and for how it was built.
/// Without the last line break.
std::string version_text();

}  // namespace rooftile::perf
