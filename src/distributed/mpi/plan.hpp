// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rooftile/distributed/plan.hpp"

namespace rooftile::distributed {

/// The plan without `bytes_moved`, which a product need not know, and which takes longer to count where K is
/// dealt to layers. @throws Error as `explain` does
Plan plan_product(const Operands& operands, const Options& options);

}  // namespace rooftile::distributed
