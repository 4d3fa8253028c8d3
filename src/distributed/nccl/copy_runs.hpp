// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

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
  bool conjugates = false;  ///< complex elements, on their way

  struct Offsets {
    Index from, to;
  };
  /// Of one element, from the beginnings of the two matrices.
  ROOFTILE_FUNCTION Offsets offsets(const Axis::Place& px, const Axis::Place& py) const {
    return {px.from * from_x + py.from * from_y, px.to * to_x + py.to * to_y};
  }
  /// The same dimensions in the other order.
  constexpr RunCopy swapped() const { return {y, x, from_y, from_x, to_y, to_x, conjugates}; }
};

/// A copy in words of several elements, and how many bytes a word has.
struct WordCopy {
  RunCopy copy;
  int bytes;
};

/// The copy whose x is the dimension along which neighbours lie where they go, in the widest words, up to 16
/// bytes, that runs, strides and addresses are multiples of; of conjugates each element is a word.
/// @param word_of_x,word_of_y  elements that all runs are multiples of, and begin at on both sides
inline WordCopy in_words(const RunCopy& given, int size, Index word_of_x, Index word_of_y, const void* from,
                         const void* to) {
  const bool swaps = given.to_x > given.to_y && given.y.extent > 1;
  WordCopy words{swaps ? given.swapped() : given, size};
  const RunCopy& copy = words.copy;
  const auto fits = [&](int bytes) {
    const Index word = bytes / size;
    const auto whole = [&](auto... extents) { return ((extents % word == 0) && ...); };
    const auto aligned = [&](const void* p) {
      return reinterpret_cast<std::uintptr_t>(p) % static_cast<unsigned>(bytes) == 0;
    };
    return copy.from_x == 1 && copy.to_x == 1 &&
           whole(swaps ? word_of_y : word_of_x, copy.x.begin, copy.x.extent, copy.x.from_shift,
                 copy.x.to_shift, copy.from_y, copy.to_y) &&
           aligned(from) && aligned(to);
  };
  while (!copy.conjugates && words.bytes < 16 && fits(2 * words.bytes)) words.bytes *= 2;
  return words;
}

/// Starts a copy in memory of the device, whose runs lie there, too. @throws Error where CUDA refuses
/// @param size  of an element: 2, 4, 8 or 16 bytes @param word_of_x,word_of_y  as of `in_words`
void start_copy(cudaStream_t stream, const RunCopy& copy, int size, Index word_of_x, Index word_of_y,
                const void* from, void* to);

}  // namespace rooftile::distributed
