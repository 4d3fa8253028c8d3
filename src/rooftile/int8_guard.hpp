// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "numerics/guard.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile {

/// What the guard of `Math::fp64_int8` and `Math::cfp64_int8` finds of two matrices.
struct Int8Guard {
  int moduli = 0;             ///< that prove fp64's accuracy; 0: fp64 itself is taken
  residues::Spread a = {};    ///< how widely the magnitudes in a row of A differ
  residues::Spread b = {};    ///< and those in a column of B
  std::string_view why = {};  ///< in a few words; lives as long as the program

  /// The number of moduli, and why, by what is known of the two.
  /// @param k  real numbers in a row of A: of complex ones two for each column
  void decide(Index k) {
    moduli = residues::moduli_for(a, b, k);
    why = moduli > 0               ? "exact products of INT8, proven as accurate as fp64"
          : !a.finite || !b.finite ? "fp64 itself: an element is infinite or NaN"
                                   : "fp64 itself: magnitudes in a row of A or a column of B differ too "
                                     "much, or more than a quarter are zero";
  }
};

}  // namespace rooftile
