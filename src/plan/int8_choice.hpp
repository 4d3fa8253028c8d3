// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string_view>

#include "plan/costs/cost_model.hpp"
#include "rooftile/kernel.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

/// Decisions about fp64 from int8 products that do not depend on the values of elements.
namespace rooftile::detail {

/// The reason in plans of the int8 modes.
inline constexpr std::string_view why_int8 =
    "asked for: exact products of INT8; fp64 itself where an element is not finite or the guard cannot prove "
    "fp64's accuracy";

/// The number of moduli that the guard finds for uniform and normal numbers.
inline constexpr int usual_moduli = 14;

/// The largest number of rows, or columns, of C on a GPU: the scaling kernel has one block for each.
inline constexpr Index max_int8_extent = std::numeric_limits<int>::max();

/// Returns why fp64 itself replaces an int8 mode for any elements; empty: it does not.
/// @param path  the native path accumulates whole rows in int32, which limits K
std::string_view why_not_int8(const GemmShape& shape, Path path, Type type);

/// Returns the expected seconds of fp64 from int8 products: starting the kernels, reading A and B and writing
/// their residues, multiplying, and reconstructing C. Products run one after the other.
double int8_seconds(const model::Costs& costs, const GemmShape& shape, int sms, Index count, int moduli,
                    Type type = Type::fp64);

/// Checks `GemmOptions::moduli`. @throws Error for an invalid number, or a mode without moduli
void check_moduli(int moduli, ComputeMode math);

}  // namespace rooftile::detail
