// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Documented, unlike its members.
namespace rooftile {

int nobody_says_what();

}  // namespace rooftile
