// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/kernel.hpp"
#include "rooftile/types.hpp"

/// An enumerator may be a number that somebody cast: what every entry asks before it takes one for an index.
namespace rooftile::detail {

/// @throws Error for what is neither `automatic` nor a rung's
void validate_enum(Kernel kernel);

/// @throws Error for what is neither `automatic` nor one of `all_modes`
void validate_enum(ComputeMode math);

/// @throws Error for what is neither path
void validate_enum(Path path);

}  // namespace rooftile::detail
