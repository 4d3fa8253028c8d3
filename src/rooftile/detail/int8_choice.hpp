// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rooftile/device/residues/moduli.hpp"
#include "rooftile/device/residues/scale.hpp"
#include "rooftile/error.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/types.hpp"

/// When fp64 is computed from products of int8, as far as that is known before numbers are read.
namespace rooftile::detail {

/// Why fp64 is computed from products of int8.
inline constexpr std::string_view why_int8 =
    "asked for: exact products of INT8; fp64 itself where an element is not finite or the guard cannot prove "
    "fp64's accuracy";

/// Why fp64 from products of int8 gives way to fp64 itself whatever the elements are; empty where it does
/// not.
inline std::string_view why_not_int8(const GemmShape& shape) {
  if (shape.k == 0) return "fp64 itself: there is nothing to multiply";
  return shape.k > residues::max_k ? "fp64 itself: K is longer than what products of int8 are proven for"
                                   : "";
}

/// What `GemmOptions::moduli` may be. @throws Error
inline void check_moduli(int moduli, Math math) {
  if (moduli == 0) return;
  if (math != Math::fp64_int8) {
    throw Error(text("number of moduli for a mode without them (", moduli, ", ", to_string(math),
                     "): compute in fp64_int8 or leave it out"));
  }
  if (moduli < residues::min_moduli || moduli > residues::max_moduli) {
    throw Error(text("no such number of moduli (", moduli, "): take ", residues::min_moduli, " to ",
                     residues::max_moduli, ", or 0 for as many as the guard finds"));
  }
}

}  // namespace rooftile::detail
