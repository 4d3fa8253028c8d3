// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/int8_choice.hpp"

#include <limits>

#include "numerics/moduli.hpp"
#include "numerics/parts.hpp"
#include "numerics/residue.hpp"
#include "numerics/scale.hpp"
#include "rooftile/error.hpp"
#include "rooftile/types.hpp"

namespace rooftile::detail {

std::string_view why_not_int8(const GemmShape& shape, Path path, Type type) {
  if (shape.k == 0) return "fp64 itself: there is nothing to multiply";
  if (path == Path::native && shape.k > residues::max_products)
    return "fp64 itself: K is longer than what int32 sums up of products of int8";
  if (path == Path::native && std::max(shape.m, shape.n) > max_int8_extent)
    return "fp64 itself: C has more rows or columns than a launch has blocks";
  return shape.k > residues::max_k / residues::parts_of(type)
             ? "fp64 itself: K is longer than what products of int8 are proven for"
             : "";
}

void check_moduli(int moduli, Math math) {
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
