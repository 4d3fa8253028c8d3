// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reported_machine.hpp"

namespace rooftile::perf {

/// The roofline of a machine's automatic choices as a 900x560 SVG without scripts or fonts. It shows the
/// marks of all modes, each mode under its compute ceiling. Equal files give equal pictures.
/// @throws Error unless there is one machine, with automatic choices that have a rate
std::string roofline_picture(const std::vector<ReportedMachine>& machines);

}  // namespace rooftile::perf
