// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rooftile/detail/gpu/panel.hpp"

/// How a team brings an operand for the matrix instructions of 16 bits and of tf32: by lines of its panel,
/// each of which is contiguous in global memory, too, unless the operand is contiguous nowhere.
namespace rooftile::detail {

/// Whether the lines of X (K,X) begin and end at multiples of 16 bytes.
template <Major major, class T>
ROOFTILE_FUNCTION bool has_aligned_lines(const MatrixRef<const T>& X) {
  constexpr bool k_major = major == Major::k;
  constexpr int width = 16 / sizeof(T);
  return (k_major ? X.row_stride : X.col_stride) == 1 &&
         (k_major ? X.col_stride : X.row_stride) % width == 0 && (k_major ? X.rows : X.cols) % width == 0 &&
         reinterpret_cast<std::uintptr_t>(X.data) % 16 == 0;
}

/// Elements from a multiple of 16 bytes to the first one of a line, for the lines that a lane reads.
struct Shifts {
  int first;   ///< of its first line and those a multiple of 8 behind it
  int second;  ///< of the line behind it, where lines run along x and two of them are in a word
};

/// A thread's share of every panel: vectors of 16 bytes, evenly spaced. A line that does not begin at a
/// multiple of 16 bytes is copied from the one before it on, so that its elements lie in the panel as far
/// from such a multiple as in global memory: whoever reads the panel has to know that shift, which is the
/// same for all of a lane's lines.
template <class T, class Panel_, int threads>
struct LineWalk {
  using Panel = Panel_;
  static constexpr int width = 16 / sizeof(T);
  static constexpr bool k_major = Panel::major == Major::k;
  static constexpr int length = k_major ? Panel::BK : Panel::BX, lines = k_major ? Panel::BX : Panel::BK;
  static constexpr int count = length * lines / threads;    // elements per thread
  static constexpr int at_once = threads * width / length;  // lines
  static constexpr int dk = k_major ? 0 : at_once, dx = k_major ? at_once : 0;
  static_assert(threads % length == 0 && lines <= threads && count % width == 0 && at_once % width == 0,
                "threads divide a panel evenly, and their lines have one shift each");

  MatrixRef<const T> X;  // (K,X)
  Index x0;
  int rank;
  int skip;  ///< how much of the first panel lies before k = 0
  bool contiguous;
  const T* source;  ///< the thread's first vector in the next panel
  Index apart;      ///< elements from one of the thread's vectors to its next
  Index step;       ///< elements from a panel to the next
  int k;            ///< of the first vector in a panel
  int target;       ///< where the first vector goes in a panel
  unsigned inside;  ///< bit i: vector i has elements inside X
  const T* extra;   ///< the vector behind the last of line `rank`, into which a shift moves elements

  /// @param rank_  of the thread in its team
  ROOFTILE_FUNCTION LineWalk(const MatrixRef<const T>& X_, Index x0_, int rank_, int skip_)
      : X(X_),
        x0(x0_),
        rank(rank_),
        skip(skip_),
        contiguous((k_major ? X_.row_stride : X_.col_stride) == 1),
        step(Panel::BK * X_.row_stride) {
    const int in = rank % (length / width) * width, line = rank / (length / width);
    k = k_major ? in : line;
    const int x = k_major ? line : in, shift = shift_of(line);
    target = Panel::offset(k, x);
    inside = 0;
    for (int i = 0; i < count / width; ++i) {
      inside |= (x0 + x + i * dx - (k_major || in == 0 ? 0 : shift) < X.cols ? 1u : 0u) << i;
    }
    inside = unforeseen(inside);
    source = &X(k - skip, x0 + x) - shift;
    apart = unforeseen(dk * X.row_stride + dx * X.col_stride);
    extra = nullptr;
    if (const int beyond = shift_of(rank); rank < lines && beyond > 0) {
      const int k_end = k_major ? length : rank, x_end = k_major ? rank : length;
      if (x0 + x_end - (k_major ? 0 : beyond) < X.cols) extra = &X(k_end - skip, x0 + x_end) - beyond;
    }
  }

  /// Elements from a multiple of 16 bytes to the first one of a line, in every panel.
  ROOFTILE_FUNCTION int shift_of(int line) const {
    if (!contiguous) return 0;
    const T* const first = k_major ? &X(-skip, x0 + line) : &X(line - skip, x0);
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(first) / sizeof(T) % width);
  }

  /// Those of the lines that lane 4g+t reads.
  ROOFTILE_FUNCTION Shifts shifts(int g, int t) const {
    constexpr int per_word = sizeof(T) < 4 ? 2 : 1;
    return k_major ? Shifts{shift_of(g), 0} : Shifts{shift_of(per_word * t), shift_of(per_word * t + 1)};
  }
};

/// Begins to copy the walk's next panel of an operand that is aligned. What of the first one lies before
/// k = 0 becomes 0.
template <bool first, class Walk, class Panel>
ROOFTILE_FUNCTION void begin_lines(const Walk& walk, const Panel& panel) {
  begin_copies<Walk::width, Walk::dk, Walk::dx, first>(walk, panel.data + walk.target, walk.skip);
}

/// The same of one that is contiguous, but not aligned; neither of the first panel nor of the last: vectors
/// reach beyond their lines.
template <class Walk, class Panel>
ROOFTILE_FUNCTION void begin_shifted_lines(Walk& walk, const Panel& panel) {
  begin_lines<false>(walk, panel);
  constexpr int end = Walk::k_major ? Panel::offset(Walk::length, 0) : Panel::offset(0, Walk::length);
  constexpr int apart = Walk::k_major ? Panel::offset(0, 1) : Panel::offset(1, 0);
  begin_copy<Walk::width>(panel.data + walk.rank * apart + end, walk.extra, walk.extra != nullptr);
}

/// Copies a panel, from k0 on, of an operand with any strides, element by element; 0 for what lies outside.
template <class T, class Panel, int threads>
ROOFTILE_FUNCTION void load_elements(const LineWalk<T, Panel, threads>& walk, const Panel& panel, Index k0) {
  using Walk = LineWalk<T, Panel, threads>;
  constexpr int batch = Walk::count < 8 ? Walk::count : 8;  // that are under way together
  ROOFTILE_UNROLL(1)
  for (int i0 = 0; i0 < Walk::count; i0 += batch) {
    T value[batch];
    int target[batch];
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < batch; ++i) {
      const int in = walk.rank % Walk::length,
                line = walk.rank / Walk::length + (i0 + i) * (threads / Walk::length);
      const int k = Walk::k_major ? in : line, x = Walk::k_major ? line : in;
      const bool inside = k0 + k >= 0 && walk.x0 + x < walk.X.cols;
      value[i] = T{};
      if (inside) value[i] = walk.X(k0 + k, walk.x0 + x);
      target[i] = Panel::offset(k, x) + walk.shift_of(line);
    }
    ROOFTILE_UNROLL_ALL
    for (int i = 0; i < batch; ++i) panel.data[target[i]] = value[i];
  }
}

}  // namespace rooftile::detail
