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

/// The memory layout of one operand's matrices.
struct Placing {
  Storage storage = Storage::row;
  Index pad = 0;            ///< elements between rows or columns
  Index shift = 0;          ///< elements between the operand and the fence; must not be accessed
  Index gap = 0;            ///< elements between the matrices of two batch entries
  bool shared = false;      ///< all batch entries use one matrix
  bool behind = false;      ///< the fence is before the operand instead of after it
  bool conjugated = false;  ///< complex elements are read as their conjugates
  bool pointers = false;    ///< given by an array of pointers, the last matrix first
  // For two dimensions:
  bool shared_inner = false;  ///< all entries of the inner one use one matrix
  bool shared_outer = false;  ///< all entries of the outer one use one matrix
  bool crossed = false;       ///< matrices of the outer one are contiguous within the inner one
  bool woven = false;         ///< rows, or columns, of the inner one's matrices are interleaved

  friend bool operator==(const Placing&, const Placing&) = default;
};

/// Offsets of an operand's matrices from the lowest element, and the number of elements that its memory
/// spans.
struct Arrangement {
  Lattice lattice;                 ///< of each matrix
  Index inner, outer;              ///< numbers of matrices in memory
  Index stride, outer_stride = 0;  ///< distances; 0: all entries use one matrix
  Index reach = 0;                 ///< one past the highest element

  /// @param count  number of batch entries
  /// @param along  entries of the inner dimension; 0: one dimension
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
  /// Whether rows, or columns, of neighbouring entries are interleaved in memory.
  static bool is_woven(const Placing& p, Index along) {
    return along > 0 && p.woven && !p.shared && !p.shared_inner;
  }
  static Index line(const Placing& p, Index rows, Index cols) {
    return p.storage == Storage::column || p.storage == Storage::strided_column ? rows : cols;
  }
};

/// One call to try. Equal texts give equal calls with equal operands.
struct Case {
  std::string path, kernel, tile;  ///< as in the program's tables; no tile: the default
  ComputeMode math = ComputeMode::fp32;
  GemmShape shape;
  Index count = 1;
  Index inner = 0;     ///< entries of the inner dimension, which divides the count; 0: one dimension
  bool group = false;  ///< the entries are a group's products, each with its own shape (`shape_in_group`)
  Placing a, b, c;
  complex<double> alpha = 1, beta = 0;
  bool nan = true;  ///< elements that must not be read hold NaN, else a number
  int times = 1;    ///< number of consecutive calls
  std::uint64_t seed = 1;

  friend bool operator==(const Case&, const Case&) = default;
};

/// The shape of product i of a group. The first is the case's shape; the others are random shapes that fit in
/// it.
GemmShape shape_in_group(const GemmShape& whole, Index i);

/// Prints a case without default values: `native warpgroup 128x192x32 bf16 m=5000 n=5000 k=32 b=column,pad8`.
std::ostream& operator<<(std::ostream& out, const Case& c);
std::string to_string(const Case& c);

/// @throws Error for an invalid line
Case parse_case(const std::string& line);

}  // namespace rooftile::testing
