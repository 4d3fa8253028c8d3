// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string_view>

#include "plan/costs/cost_model.hpp"
#include "rooftile/kernel.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

/// When fp64 is computed from products of int8, as far as that is known before numbers are read.
namespace rooftile::detail {

/// Why fp64 is computed from products of int8.
inline constexpr std::string_view why_int8 =
    "asked for: exact products of INT8; fp64 itself where an element is not finite or the guard cannot prove "
    "fp64's accuracy";

/// Moduli that the guard finds of uniform and normal numbers.
inline constexpr int usual_moduli = 14;

/// Rows and columns of C on a GPU, of whose scales each has a block.
inline constexpr Index max_int8_extent = std::numeric_limits<int>::max();

/// Why fp64 from products of int8 gives way to fp64 itself whatever the elements are; empty: it does not.
/// @param path  the native one sums whole rows in int32
std::string_view why_not_int8(const GemmShape& shape, Path path, Type type);

/// Seconds that fp64 takes from products of int8: to start its kernels; to read A and B twice, and once more
/// to write their residues; to multiply; and from residues to C. One product after the other.
double int8_seconds(const model::Costs& costs, const GemmShape& shape, int sms, Index count, int moduli,
                    Type type = Type::fp64);

/// What `GemmOptions::moduli` may be. @throws Error
void check_moduli(int moduli, ComputeMode math);

}  // namespace rooftile::detail
