// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/costs/cost_model.hpp"
#include "rooftile/problem.hpp"

/// How long fp64 takes from products of int8 on a GPU.
namespace rooftile::detail {

/// Seconds that fp64 takes from products of int8: to start its kernels; to read A and B twice, and once more
/// to write their residues; to multiply; and from residues to C. One product after the other.
double int8_seconds(const model::Costs& costs, const GemmShape& shape, int sms, Index count, int moduli,
                    Type type = Type::fp64);

}  // namespace rooftile::detail
