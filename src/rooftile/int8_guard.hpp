// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rooftile/matrix.hpp"

namespace rooftile {

namespace residues {

/// What the guard knows of A, or of B: the largest of its rows, or columns.
struct Spread {
  /// (‖row‖ / (√K·m))² with m the power of two that three quarters of the row's magnitudes reach; a row of
  /// zeros, whose products are exact, has 0.
  double squared = 0;
  bool finite = true;  ///< all elements are

  /// Takes other rows into account.
  constexpr void add(const Spread& other) {
    finite = finite && other.finite;
    if (other.squared > squared) squared = other.squared;
  }
};

}  // namespace residues

/// The result of the guard of `ComputeMode::fp64_int8` and `ComputeMode::cfp64_int8` for two matrices.
struct Int8Guard {
  int moduli = 0;             ///< that prove fp64's accuracy; 0: fp64 itself is taken
  residues::Spread a = {};    ///< how widely the magnitudes in a row of A differ
  residues::Spread b = {};    ///< and those in a column of B
  std::string_view why = {};  ///< in a few words; lives as long as the program

  /// The number of moduli, and why, by what is known of the two.
  /// @param k  real numbers in a row of A: of complex ones two for each column
  void decide(Index k);
};

}  // namespace rooftile
