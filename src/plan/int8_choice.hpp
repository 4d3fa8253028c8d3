// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>

#include "numerics/moduli.hpp"
#include "numerics/parts.hpp"
#include "numerics/residue.hpp"
#include "numerics/scale.hpp"
#include "rooftile/error.hpp"
#include "rooftile/ladder.hpp"
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

/// Why fp64 from products of int8 gives way to fp64 itself whatever the elements are; empty where it does
/// not.
/// @param path  the native one sums whole rows in int32
/// @param type  of the elements
inline std::string_view why_not_int8(const GemmShape& shape, Path path, Type type) {
  if (shape.k == 0) return "fp64 itself: there is nothing to multiply";
  if (path == Path::native && shape.k > residues::max_products)
    return "fp64 itself: K is longer than what int32 sums up of products of int8";
  if (path == Path::native && std::max(shape.m, shape.n) > max_int8_extent)
    return "fp64 itself: C has more rows or columns than a launch has blocks";
  return shape.k > residues::max_k / residues::parts_of(type)
             ? "fp64 itself: K is longer than what products of int8 are proven for"
             : "";
}

/// What `GemmOptions::moduli` may be. @throws Error
inline void check_moduli(int moduli, Math math) {
  if (moduli == 0) return;
  if (!takes_residues(math)) {
    throw Error(text("number of moduli for a mode without them (", moduli, ", ", to_string(math),
                     "): compute in fp64_int8 or cfp64_int8, or leave it out"));
  }
  if (moduli < residues::min_moduli || moduli > residues::max_moduli) {
    throw Error(text("no such number of moduli (", moduli, "): take ", residues::min_moduli, " to ",
                     residues::max_moduli, ", or 0 for as many as the guard finds"));
  }
}

}  // namespace rooftile::detail
