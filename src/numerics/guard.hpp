// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/moduli.hpp"
#include "numerics/scale.hpp"
#include "rooftile/detail/function.hpp"
#include "rooftile/int8_guard.hpp"

/// The accuracy guard: the number of moduli that makes a product as accurate as fp64.
namespace rooftile::residues {

/// Includes another row.
/// @param k  real numbers in the row
ROOFTILE_FUNCTION void add_row(Spread& spread, const RowScale& row, Index k) {
  spread.finite = spread.finite && row.squares < infinity;
  if (row.squares == 0) return;
  const double of_row =
      row.depth < depths ? row.squares * power_of_two(2 * row.depth) / static_cast<double>(k) : infinity;
  if (of_row > spread.squared) spread.squared = of_row;
}

/// Returns the least number of moduli for which each element has a proven error of at most
/// (K + 4)·2⁻⁵³·(|A|·|B|)ij; 0: no number suffices. Derivation (docs/numerics.md, E9): m_i and m_j are the
/// powers of two that three quarters of a row's and a column's magnitudes reach. The three quarters of both
/// share K/2 places, hence (|A|·|B|)ij >= (K/2)·m_i·m_j. Relative to this sum, rounding to integers adds at
/// most 4√K·2^-β'·R_A·R_B.
ROOFTILE_FUNCTION int moduli_for(const Spread& a, const Spread& b, Index k) {
  if (!a.finite || !b.finite || k > max_k) return 0;
  // The square of the condition 4√K·2^-β'·R_A·R_B <= K·u.
  const double needed = 0x1p110 / static_cast<double>(k > 0 ? k : 1) * a.squared * b.squared;
  for (int s = min_moduli; s <= max_moduli; ++s) {
    if (needed <= squared_limit(s)) return s;
  }
  return 0;
}

}  // namespace rooftile::residues
