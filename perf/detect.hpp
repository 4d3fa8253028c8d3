// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rooftile/model/device.hpp"

namespace rooftile::perf {

/// What this machine has, as it reports itself; what it does not report is 0 or empty.
std::vector<model::Device> detected_devices();

/// The same text for as long as the program runs: a `model::Device` does not own its names.
std::string_view lasting(std::string text);

}  // namespace rooftile::perf
