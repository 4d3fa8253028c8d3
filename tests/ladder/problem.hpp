// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <ostream>

#include "rooftile/problem.hpp"
#include "storage.hpp"

namespace rooftile::testing {

/// One product to try.
template <class T>
struct Problem {
  GemmShape shape;
  Storage a = Storage::row, b = Storage::row, c = Storage::row;
  Scalar<T> alpha = 1, beta = 0;
  bool integers = false;  ///< small integers, whose product is exact
  Index pad = 3;          ///< elements between rows or columns: 3 and vectors of 16 bytes do not go together
  Index shift = 0;        ///< elements from an address for vectors to the operands' first
  int grade = 0;  ///< columns of A are scaled by powers of two up to 2^±grade, rows of B by their inverse
  Index pad_b = -1, pad_c = -1;  ///< elements between those of B and of C; -1: `pad`, as between those of A
  std::array<bool, 3> conjugated = {};  ///< A, B and C of complex numbers that are read as their conjugates

  /// Of A, B and C.
  std::array<Index, 3> pads() const { return {pad, pad_b < 0 ? pad : pad_b, pad_c < 0 ? pad : pad_c}; }

  friend std::ostream& operator<<(std::ostream& out, const Problem& p) {
    return out << to_string(p.shape) << ' ' << name_of(p.a) << ' ' << name_of(p.b) << ' ' << name_of(p.c)
               << " pad " << p.pad << ' ' << p.pads()[1] << ' ' << p.pads()[2] << " shift " << p.shift
               << " alpha " << p.alpha << " beta " << p.beta << " conjugated " << p.conjugated[0]
               << p.conjugated[1] << p.conjugated[2];
  }
};

}  // namespace rooftile::testing
