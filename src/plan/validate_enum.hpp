// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/kernel.hpp"
#include "rooftile/types.hpp"

/// Validation of enumerators. A caller may cast any number to an enumeration, so entry points check it before
/// they use it as an index.
namespace rooftile::detail {

/// @throws Error if `kernel` is neither `automatic` nor the kernel of a rung
void validate_enum(Kernel kernel);

/// @throws Error if `math` is neither `automatic` nor one of `all_modes`
void validate_enum(ComputeMode math);

/// @throws Error if `path` is not a path
void validate_enum(Path path);

}  // namespace rooftile::detail
