// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "rooftile/matrix.hpp"

/// Copies between matrices and messages: the kernels, and the places that they read and write.
namespace rooftile::distributed {

/// Indices of one dimension that are contiguous both at the source and at the destination.
struct Run {
  Index first;  ///< position of the first index among all copied indices
  Index from;   ///< source position of the first index
  Index to;     ///< destination position of the first index
};

/// One dimension of a copy: `extent` of the indices of a list of runs, from position `begin` on.
struct Axis {
  const Run* runs = nullptr;  ///< in order, from position 0; null for the identity (0, 1, …)
  Index count = 0;            ///< number of runs
  Index begin = 0;
  Index extent = 0;
  Index from_shift = 0;  ///< added to source positions
  Index to_shift = 0;    ///< added to destination positions

  struct Place {
    Index from, to;
  };
  /// The source and destination positions of index i of the copy. @pre 0 ≤ i < extent
  ROOFTILE_FUNCTION Place place(Index i) const {
    const Index number = begin + i;
    if (runs == nullptr) return {number + from_shift, number + to_shift};
    Index run = 0;
    for (Index behind = count; behind - run > 1;) {  // finds the last run that begins at or before `number`
      const Index middle = run + (behind - run) / 2;
      (runs[middle].first <= number ? run : behind) = middle;
    }
    const Index in_run = number - runs[run].first;
    return {runs[run].from + in_run + from_shift, runs[run].to + in_run + to_shift};
  }
};

/// A copy of (x.extent, y.extent) elements from one matrix into another. Each index has its own place in
/// both.
struct RunCopy {
  Axis x;  ///< the contiguous dimension of the destination
  Axis y;
  Index from_x = 0, from_y = 0;  ///< strides, in elements
  Index to_x = 0, to_y = 0;
  bool conjugates = false;  ///< whether complex elements are conjugated

  struct Offsets {
    Index from, to;
  };
  /// The offsets of one element from the beginnings of both matrices.
  ROOFTILE_FUNCTION Offsets offsets(const Axis::Place& px, const Axis::Place& py) const {
    return {px.from * from_x + py.from * from_y, px.to * to_x + py.to * to_y};
  }
  /// The copy with x and y exchanged.
  constexpr RunCopy swapped() const { return {y, x, from_y, from_x, to_y, to_x, conjugates}; }
};

/// A copy in words of several elements, and the number of bytes of a word.
struct WordCopy {
  RunCopy copy;
  int bytes;
};

/// Makes x the contiguous dimension of the destination, and chooses the widest words, up to 16 bytes, that
/// divide runs, strides and addresses. Conjugated elements are words of their own.
/// @param word_of_x,word_of_y  elements that divide the beginnings and lengths of all runs, on both sides
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

/// Starts a copy in device memory. The lists of runs are also in device memory.
/// @param size  bytes of an element: 2, 4, 8 or 16
/// @param word_of_x,word_of_y  as for `in_words`
/// @throws Error if CUDA fails
void start_copy(cudaStream_t stream, const RunCopy& copy, int size, Index word_of_x, Index word_of_y,
                const void* from, void* to);

}  // namespace rooftile::distributed
