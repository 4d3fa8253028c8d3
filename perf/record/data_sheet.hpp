// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "record.hpp"

namespace rooftile::perf {

/// What was measured over what the vendor's data sheet promises, by the model's table of devices: `0.95 fp32,
/// 0.97 matrix fp64, 0.83 memory`; empty for a device that is not in the table, as CPUs are not.
std::string share_of_data_sheet(std::string_view device, const Ceilings& measured,
                                std::string_view before = "");

/// Why ratios measured now would not count: a launch that takes much too long, or a ceiling below half of
/// what the data sheet promises. Empty where nothing is wrong.
std::string disturbance_of(std::string_view device, const Ceilings& measured);

}  // namespace rooftile::perf
