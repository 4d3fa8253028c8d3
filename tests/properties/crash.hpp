// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case.hpp"

namespace rooftile::testing {

/// From now on a signal that ends the process, or a time limit, first writes the case that is being tried to
/// standard error.
void tell_case_in_crashes();

/// That is this one.
void begin_case(const Case& c);

/// @param why  what the device says, which answers no longer
[[noreturn]] void end_in_case(const char* why);

}  // namespace rooftile::testing
