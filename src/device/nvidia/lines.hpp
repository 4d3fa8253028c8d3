// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/common/panel.hpp"
#include "device/common/verbs.hpp"
#include "rooftile/types.hpp"

/// How a team copies an operand for the matrix instructions of 16 bits, tf32 and int8: by lines of its panel.
/// Each line is also contiguous in global memory, unless the operand has no contiguous dimension.
namespace rooftile::detail {

/// Returns how many elements of X (K,X) one asynchronous copy moves so that lines begin and end at copies.
/// This is a vector of 16 bytes, or a word of two 16-bit elements; 0 if neither fits.
template <Major major, class T>
ROOFTILE_FUNCTION int copies_of_lines(const MatrixRef<const T>& X) {
  constexpr bool k_major = major == Major::k;
  const auto whole = [&](int n) {
    return (k_major ? X.row_stride : X.col_stride) == 1 && (k_major ? X.col_stride : X.row_stride) % n == 0 &&
           (k_major ? X.rows : X.cols) % n == 0 &&
           reinterpret_cast<std::uintptr_t>(X.data) % (n * sizeof(T)) == 0;
  };
  constexpr int width = 16 / sizeof(T);
  return whole(width) ? width : Element16<T> && whole(2) ? 2 : 0;
}

/// Elements from a multiple of 16 bytes to the first element of a line, for the lines that a lane reads.
struct Shifts {
  int first;   ///< of the lane's first line, and of every eighth line after it
  int second;  ///< of the next line, if lines run along x and a word spans two of them
};

/// A thread's share of every panel: vectors of 16 bytes, evenly spaced. A line that does not begin at a
/// multiple of 16 bytes is copied from the previous multiple on. Its elements then have an equal shift from a
/// multiple in the panel and in global memory. Code that reads the panel needs the shift, which is equal for
/// all of a lane's lines.
template <class T, class Panel_, int threads>
struct LineWalk {
  using Panel = Panel_;
  static constexpr int width = 16 / sizeof(T);
  static constexpr int per_word = Element16<T> ? 2 : 1;  // elements
  static constexpr bool k_major = Panel::major == Major::k;
  static constexpr int length = k_major ? Panel::BK : Panel::BX, lines = k_major ? Panel::BX : Panel::BK;
  static constexpr int count = length * lines / threads;  // elements per thread
  /// The distance along k and along x from one copy of n elements to the thread's next copy.
  template <int n>
  static constexpr int dk = k_major ? 0 : threads* n / length;
  template <int n>
  static constexpr int dx = k_major ? threads* n / length : 0;
  static_assert(threads % length == 0 && lines <= threads && count % width == 0 &&
                    (dk<width> + dx<width>) % width == 0,
                "threads divide a panel evenly, and their lines have one shift each");

  MatrixRef<const T> X;  // (K,X)
  Index x0;
  int rank;
  int skip;    ///< rows of the first panel before k = 0
  bool words;  ///< copies are words of two elements of 16 bits, and lines have no shift
  bool contiguous;
  const T* source;  ///< the thread's first vector, or word, in the next panel
  Index apart;      ///< elements from one vector or word to the next
  Index step;       ///< elements from a panel to the next
  int k;            ///< k of the first copy in a panel
  int target;       ///< where the first copy goes in a panel
  unsigned inside;  ///< bit i: copy i has elements inside X
  const T* extra;   ///< vector after the end of line `rank`, for elements that a shift moves there

  /// @param rank_  rank of the thread in its team
  ROOFTILE_FUNCTION LineWalk(const MatrixRef<const T>& X_, Index x0_, int rank_, int skip_, bool words_)
      : X(X_),
        x0(x0_),
        rank(rank_),
        skip(skip_),
        words(per_word == 2 && words_),
        contiguous((k_major ? X_.row_stride : X_.col_stride) == 1),
        step(Panel::BK * X_.row_stride) {
    const int n = words ? 2 : width, in = rank % (length / n) * n, line = rank / (length / n);
    const int line_apart = threads * n / length;
    k = k_major ? in : line;
    const int x = k_major ? line : in, shift = shift_of(line);
    target = Panel::offset(k, x);
    inside = 0;
    for (int i = 0; i < count / (per_word == 2 ? 2 : width); ++i) {
      const int beyond = k_major ? i * line_apart : in == 0 ? 0 : -shift;
      inside |= (x0 + x + beyond < X.cols ? 1u : 0u) << i;
    }
    inside = unforeseen(inside);
    source = &X(k - skip, x0 + x) - shift;
    apart = unforeseen(line_apart * (k_major ? X.col_stride : X.row_stride));
    extra = nullptr;
    if (const int beyond = shift_of(rank); rank < lines && beyond > 0) {
      const int k_end = k_major ? length : rank, x_end = k_major ? rank : length;
      if (x0 + x_end - (k_major ? 0 : beyond) < X.cols) extra = &X(k_end - skip, x0 + x_end) - beyond;
    }
  }

  /// Returns the elements from a multiple of 16 bytes to the first element of a line, in every panel.
  ROOFTILE_FUNCTION int shift_of(int line) const {
    if (!contiguous || words) return 0;
    const T* const first = k_major ? &X(-skip, x0 + line) : &X(line - skip, x0);
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(first) / sizeof(T) % width);
  }

  /// Returns the shifts of the lines that lane 4g+t reads.
  ROOFTILE_FUNCTION Shifts shifts(int g, int t) const {
    return k_major ? Shifts{shift_of(g), 0} : Shifts{shift_of(per_word * t), shift_of(per_word * t + 1)};
  }
};

/// Begins to copy the walk's next panel, n elements at a time. Elements of the first panel before k = 0
/// become 0. Elements outside x are not read and may have any value, because they reach only elements outside
/// C.
template <int n, bool first, class T, class Panel, int threads>
ROOFTILE_FUNCTION void begin_lines(const LineWalk<T, Panel, threads>& walk, const Panel& panel) {
  using Walk = LineWalk<T, Panel, threads>;
  constexpr int dk = Walk::template dk<n>, dx = Walk::template dx<n>;
  const T* from = walk.source;
  ROOFTILE_UNROLL_ALL
  for (int i = 0; i < Walk::count / n; ++i) {
    T* const to = panel.data + walk.target + i * Panel::offset(dk, dx);
    const bool skipped = first && walk.k + i * dk < walk.skip;
    if (skipped) *reinterpret_cast<Vector<T, n>*>(to) = {};
    begin_copy<n>(to, from, (walk.inside >> (Walk::k_major ? i : 0) & 1) != 0 && !skipped);
    from += walk.apart;
  }
}

/// Begins to copy a panel of shifted lines. Not for the first and the last panel, where vectors would reach
/// outside the operand.
template <class Walk, class Panel>
ROOFTILE_FUNCTION void begin_shifted_lines(Walk& walk, const Panel& panel) {
  begin_lines<Walk::width, false>(walk, panel);
  constexpr int end = Walk::k_major ? Panel::offset(Walk::length, 0) : Panel::offset(0, Walk::length);
  constexpr int apart = Walk::k_major ? Panel::offset(0, 1) : Panel::offset(1, 0);
  begin_copy<Walk::width>(panel.data + walk.rank * apart + end, walk.extra, walk.extra != nullptr);
}

/// Copies a panel from k0 on, element by element, from an operand with any strides. Elements outside the
/// operand become 0.
template <class T, class Panel, int threads>
ROOFTILE_FUNCTION void load_elements(const LineWalk<T, Panel, threads>& walk, const Panel& panel, Index k0) {
  using Walk = LineWalk<T, Panel, threads>;
  constexpr int batch = Walk::count / 4;  // elements in flight together: more need more registers
  const int in = walk.rank % Walk::length;
  ROOFTILE_UNROLL(1)
  for (int i0 = 0; i0 < Walk::count; i0 += batch) {
    T value[batch];
    const auto line_of = [&](int i) {
      return walk.rank / Walk::length + (i0 + i) * (threads / Walk::length);
    };
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < batch; ++i) {
      const int k = Walk::k_major ? in : line_of(i), x = Walk::k_major ? line_of(i) : in;
      value[i] = T{};
      if (k0 + k >= 0 && walk.x0 + x < walk.X.cols) value[i] = walk.X(k0 + k, walk.x0 + x);
    }
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < batch; ++i) {
      const int line = line_of(i), k = Walk::k_major ? in : line, x = Walk::k_major ? line : in;
      panel.at(k, x)[walk.shift_of(line)] = value[i];
    }
  }
}

}  // namespace rooftile::detail
