// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "record.hpp"

namespace rooftile::perf {

/// Measured ceilings as fractions of the vendor's data sheet (the model's device table): `0.95 fp32, 0.97
/// matrix fp64, 0.83 memory`. Empty for devices outside the table, which includes all CPUs.
std::string share_of_data_sheet(std::string_view device, const Ceilings& measured,
                                std::string_view before = "");

/// @return why measurements on this device are unreliable now: a launch takes too long, or a ceiling is below
/// half of the data sheet's value. Empty if neither applies.
std::string disturbance_of(std::string_view device, const Ceilings& measured);

}  // namespace rooftile::perf
