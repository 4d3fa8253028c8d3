// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rooftile/matrix.hpp"

namespace rooftile {

namespace residues {

/// The largest row of A, or column of B, as the accuracy guard sees it.
struct Spread {
  /// (‖row‖ / (√K·m))², where m is the power of two that three quarters of the row's magnitudes reach. A row
  /// of zeros has 0: its products are exact.
  double squared = 0;
  bool finite = true;  ///< all elements are finite

  /// Includes other rows.
  constexpr void add(const Spread& other) {
    finite = finite && other.finite;
    if (other.squared > squared) squared = other.squared;
  }
};

}  // namespace residues

/// The result of the accuracy guard of `fp64_int8` and `cfp64_int8` for two matrices.
struct Int8Guard {
  int moduli = 0;  ///< number of moduli that prove the accuracy of fp64; 0: the product is computed in fp64
  residues::Spread a = {};    ///< how much the magnitudes in a row of A differ
  residues::Spread b = {};    ///< how much the magnitudes in a column of B differ
  std::string_view why = {};  ///< the reason, a few words; lives as long as the program

  /// Sets the number of moduli and the reason from `a` and `b`.
  /// @param k  real numbers in a row of A: the columns of A, or twice as many for complex elements
  void decide(Index k);
};

}  // namespace rooftile
