// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>

#include "rooftile/problem.hpp"
#include "tests/ladder/storage.hpp"

namespace rooftile::testing {

/// How the matrices of one operand lie in memory.
struct Placing {
  Storage storage = Storage::row;
  Index pad = 0;            ///< elements between rows or columns
  Index shift = 0;          ///< elements between the operand and the fence, which nobody may touch
  Index gap = 0;            ///< elements between the matrices of two batch entries
  bool shared = false;      ///< all batch entries have one matrix
  bool behind = false;      ///< the fence is in front of the operand instead of behind it
  bool conjugated = false;  ///< complex elements are read as their conjugates
  bool pointers = false;    ///< an array of pointers says where the matrices lie, the last one first
  // Of two dimensions:
  bool shared_inner = false;  ///< all entries of the inner one have one matrix
  bool shared_outer = false;  ///< all entries of the outer one have the same
  bool crossed = false;       ///< matrices of the outer one follow each other within the inner one
  bool woven = false;         ///< rows, or columns, of the inner one's matrices take turns

  friend bool operator==(const Placing&, const Placing&) = default;
};

/// Where the matrices of an operand lie, seen from the lowest element, and how many elements its memory has.
struct Arrangement {
  Lattice lattice;                 ///< of each matrix
  Index inner, outer;              ///< matrices that are in memory
  Index stride, outer_stride = 0;  ///< from one to the next; 0: all share one
  Index reach = 0;                 ///< what is behind the highest element

  /// @param count  of batch entries
  /// @param along  of two dimensions, entries of the inner one; 0: there is one
  Arrangement(const Placing& p, Index rows, Index cols, Index count, Index along)
      : lattice(p.storage, rows, cols, p.pad + (is_woven(p, along) ? (along - 1) * line(p, rows, cols) : 0)),
        inner(p.shared || (along > 0 && p.shared_inner) ? 1
              : along > 0                               ? along
                                                        : count),
        outer(along == 0 || p.shared || p.shared_outer ? 1 : count / along) {
    const bool shares_inner = inner == 1 && (p.shared || along > 1), shares_outer = outer == 1;
    const auto all = [](Index matrices, Index distance) {
      return std::max<Index>(matrices - 1, 0) * distance;
    };
    const Index next = lattice.reach + p.gap;
    if (along > 0 && p.crossed && !is_woven(p, along)) {  // the outer dimension steps within the inner one
      outer_stride = shares_outer ? 0 : next;
      stride = shares_inner ? 0 : all(outer, outer_stride) + next;
    } else {
      const Index step = p.storage == Storage::strided || p.storage == Storage::strided_column ? 2 : 1;
      stride = shares_inner ? 0 : is_woven(p, along) ? step * line(p, rows, cols) : next;
      outer_stride = shares_outer ? 0 : all(inner, stride) + next;
    }
    if (inner > 0 && outer > 0) reach = lattice.reach + all(inner, stride) + all(outer, outer_stride);
  }

 private:
  /// Whether the rows, or columns, of neighbouring entries take turns in memory.
  static bool is_woven(const Placing& p, Index along) {
    return along > 0 && p.woven && !p.shared && !p.shared_inner;
  }
  static Index line(const Placing& p, Index rows, Index cols) {
    return p.storage == Storage::column || p.storage == Storage::strided_column ? rows : cols;
  }
};

/// One call to try: the same text gives the same call with the same operands.
struct Case {
  std::string path, kernel, tile;  ///< as in a table of the program; no tile: the default
  ComputeMode math = ComputeMode::fp32;
  GemmShape shape;
  Index count = 1;
  Index inner = 0;  ///< of two dimensions, entries of the inner one, which divides the count; 0: there is one
  bool group = false;  ///< the entries are a group's products, each of a shape of its own (`shape_in_group`)
  Placing a, b, c;
  complex<double> alpha = 1, beta = 0;
  bool nan = true;  ///< what must not be read holds NaN, else a number
  int times = 1;    ///< calls one behind the other
  std::uint64_t seed = 1;

  friend bool operator==(const Case&, const Case&) = default;
};

/// The shape of product i of a group: the case's own for the first, any that fits in it for others.
GemmShape shape_in_group(const GemmShape& whole, Index i);

/// `native warpgroup 128x192x32 bf16 m=5000 n=5000 k=32 b=column,pad8`, without default values.
std::ostream& operator<<(std::ostream& out, const Case& c);
std::string to_string(const Case& c);

/// @throws Error for what is no such line
Case parse_case(const std::string& line);

}  // namespace rooftile::testing
