// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rooftile/matrix.hpp"

/// How blocks of matrices get into messages and out of them: what kernels copy, and where from and to.
namespace rooftile::distributed {

/// Indices of one dimension that are neighbours both where they are copied from and where they are copied to.
struct Run {
  Index first;  ///< of its first index, the number among all that are copied
  Index from;   ///< where that is
  Index to;     ///< where it goes
};

/// One dimension of what is copied: `extent` of the indices that a list of runs has, from number `begin` on.
struct Axis {
  const Run* runs = nullptr;  ///< in order, the first one's number is 0; null: from 0, 1, … to 0, 1, …
  Index count = 0;            ///< of runs
  Index begin = 0;
  Index extent = 0;
  Index from_shift = 0;  ///< is added to where they are copied from
  Index to_shift = 0;    ///< and to where they go

  struct Place {
    Index from, to;
  };
  /// Where index i of those that are copied is and goes. @pre 0 ≤ i < extent
  ROOFTILE_FUNCTION Place place(Index i) const {
    const Index number = begin + i;
    if (runs == nullptr) return {number + from_shift, number + to_shift};
    Index run = 0;
    for (Index behind = count; behind - run > 1;) {  // the last one that begins at or before it
      const Index middle = run + (behind - run) / 2;
      (runs[middle].first <= number ? run : behind) = middle;
    }
    const Index in_run = number - runs[run].first;
    return {runs[run].from + in_run + from_shift, runs[run].to + in_run + to_shift};
  }
};

/// A copy of (x.extent, y.extent) elements from one matrix into another, of which each index of the two
/// dimensions has a place of its own.
struct RunCopy {
  Axis x;  ///< along which neighbours lie where they go
  Axis y;
  Index from_x = 0, from_y = 0;  ///< strides, in elements
  Index to_x = 0, to_y = 0;

  struct Offsets {
    Index from, to;
  };
  /// Of one element, from the beginnings of the two matrices.
  ROOFTILE_FUNCTION Offsets offsets(const Axis::Place& px, const Axis::Place& py) const {
    return {px.from * from_x + py.from * from_y, px.to * to_x + py.to * to_y};
  }
  /// The same dimensions in the other order.
  constexpr RunCopy swapped() const { return {y, x, from_y, from_x, to_y, to_x}; }
};

/// Bytes of the widest word, up to 16, that elements of `size` bytes can be copied as: where x is contiguous
/// on both sides, and runs, strides and addresses are multiples of it.
/// @param word_of_runs  elements that all of x's runs are multiples of (`alignment_of`)
inline int word_bytes(const RunCopy& copy, int size, Index word_of_runs, const void* from, const void* to) {
  int bytes = size;
  const auto fits = [&](int wider) {
    const Index word = wider / size;
    const auto whole = [&](Index extent) { return extent % word == 0; };
    const auto aligned = [&](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % wider == 0; };
    return copy.from_x == 1 && copy.to_x == 1 && whole(word_of_runs) && whole(copy.x.begin) &&
           whole(copy.x.extent) && whole(copy.x.from_shift) && whole(copy.x.to_shift) && whole(copy.from_y) &&
           whole(copy.to_y) && aligned(from) && aligned(to);
  };
  while (bytes < 16 && fits(2 * bytes)) bytes *= 2;
  return bytes;
}

}  // namespace rooftile::distributed
