// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/moduli.hpp"
#include "numerics/scale.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/int8_guard.hpp"

/// How many moduli a product takes to be as accurate as one in fp64.
namespace rooftile::residues {

/// Takes another row into account.
/// @param k  real numbers in it
ROOFTILE_FUNCTION void add_row(Spread& spread, const RowScale& row, Index k) {
  spread.finite = spread.finite && row.squares < infinity;
  if (row.squares == 0) return;
  const double of_row =
      row.depth < depths ? row.squares * power_of_two(2 * row.depth) / static_cast<double>(k) : infinity;
  if (of_row > spread.squared) spread.squared = of_row;
}

/// The fewest moduli with which every element is proven to be within (K + 4)·2⁻⁵³ of |A|·|B|; 0: none are.
/// A row's and a column's three quarters share K/2 places, so that (|A|·|B|)ij >= (K/2)·m_i·m_j, and the
/// integers' rounding is at most 4√K·2^-β'·R_A·R_B of that.
ROOFTILE_FUNCTION int moduli_for(const Spread& a, const Spread& b, Index k) {
  if (!a.finite || !b.finite || k > max_k) return 0;
  // 4√K·2^-β'·R_A·R_B <= K·u, squared.
  const double needed = 0x1p110 / static_cast<double>(k > 0 ? k : 1) * a.squared * b.squared;
  for (int s = min_moduli; s <= max_moduli; ++s) {
    if (needed <= squared_limit(s)) return s;
  }
  return 0;
}

}  // namespace rooftile::residues
