// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "rooftile/distributed/layout.hpp"

namespace rooftile::scalapack {

/// A ScaLAPACK matrix descriptor, in the order of the 11-word descriptor. PBLAS error codes count its entries
/// from 1.
struct Descriptor {
  int type;                    ///< 2: 11 words; 1: 9 words, without imb and inb
  int context;                 ///< BLACS context
  int m, n;                    ///< extents of the whole matrix
  int imb, inb;                ///< extents of the first block
  int mb, nb;                  ///< extents of the other blocks
  int row_source, col_source;  ///< process with the first block; -1: replicated on all processes
  int ld;                      ///< leading dimension of the local, column-major elements

  /// The distribution of the matrix. @pre the matrix is not replicated
  distributed::Layout layout() const { return {{m, mb, imb, row_source}, {n, nb, inb, col_source}}; }
  /// Whether several processes hold equal elements.
  bool is_replicated() const { return row_source == -1 || col_source == -1; }
};

/// A descriptor of 9 or 11 words. For an unknown type only the context is read.
inline Descriptor descriptor(const int* words) {
  if (words[0] == 1) {
    return {2,        words[1], words[2], words[3], words[4], words[5],
            words[4], words[5], words[6], words[7], words[8]};
  }
  if (words[0] == 2) {
    return {2,        words[1], words[2], words[3], words[4], words[5],
            words[6], words[7], words[8], words[9], words[10]};
  }
  return {words[0], words[1], 0, 0, 1, 1, 1, 1, 0, 0, 1};
}

/// A process's place in the BLACS grid.
struct Place {
  int rows, cols;  ///< extents of the grid; -1: the process is outside
  int row, col;    ///< of the process
};

/// The first invalid argument, in the numbering of PBLAS: the argument number, or 100·number + entry for an
/// entry of a descriptor.
class FirstWrong {
 public:
  /// Records argument `number` if it is invalid.
  void argument(bool wrong, int number) { note(wrong, 100 * number); }
  /// Records an entry of the descriptor that is argument `number`, if the entry is invalid.
  void entry(bool wrong, int number, int index) { note(wrong, 100 * number + index); }

  /// 0 if all arguments are valid, else minus the code.
  int info() const {
    if (first_ == none) return 0;
    return first_ % 100 == 0 ? -first_ / 100 : -first_;
  }
  bool any() const { return first_ != none; }

 private:
  static constexpr int none = 10000;
  void note(bool wrong, int code) {
    if (wrong) first_ = std::min(first_, code);
  }
  int first_ = none;
};

/// A sub-matrix as passed to a routine, and the numbers of its arguments.
struct SubMatrix {
  int rows, rows_argument;  ///< `rows_argument`: argument number
  int cols, cols_argument;  ///< `cols_argument`: argument number
  int i, j;                 ///< first element, counted from 1: the two arguments before the descriptor
  Descriptor of;
  int argument;  ///< argument number of the descriptor
};

/// Records the invalid arguments of a sub-matrix, by the rules and numbers of PBLAS.
inline void check(const SubMatrix& x, int context, const Place& place, FirstWrong& wrong) {
  enum Entry { type = 1, of_context, m, n, imb, inb, mb, nb, row_source, col_source, ld };
  const Descriptor& d = x.of;
  const int i_argument = x.argument - 2, j_argument = x.argument - 1;
  wrong.argument(x.rows < 0, x.rows_argument);
  wrong.argument(x.cols < 0, x.cols_argument);
  wrong.argument(x.i < 1, i_argument);
  wrong.argument(x.j < 1, j_argument);
  wrong.entry(d.type != 2, x.argument, type);
  if (d.type != 2) return;
  wrong.entry(d.context != context, x.argument, of_context);
  if (d.context != context) return;
  wrong.entry(d.imb < 1, x.argument, imb);
  wrong.entry(d.inb < 1, x.argument, inb);
  wrong.entry(d.mb < 1, x.argument, mb);
  wrong.entry(d.nb < 1, x.argument, nb);
  wrong.entry(d.row_source < -1 || d.row_source >= place.rows, x.argument, row_source);
  wrong.entry(d.col_source < -1 || d.col_source >= place.cols, x.argument, col_source);
  const bool is_empty = x.rows == 0 || x.cols == 0;
  wrong.entry(d.m < (is_empty ? 0 : 1), x.argument, m);
  wrong.entry(d.n < (is_empty ? 0 : 1), x.argument, n);
  if (is_empty) return wrong.entry(d.ld < 1, x.argument, ld);
  if (d.m >= 1 && d.n >= 1) {
    wrong.argument(x.rows > d.m - (x.i - 1), i_argument);
    wrong.argument(x.cols > d.n - (x.j - 1), j_argument);
  }
  if (wrong.any()) return;
  // A process holds all indices of a replicated dimension.
  const Index rows = d.row_source < 0 ? d.m : d.layout().rows.held(place.rows, place.row);
  const Index cols = d.col_source < 0 ? d.n : d.layout().cols.held(place.cols, place.col);
  wrong.entry(d.ld < 1 || (cols > 0 && d.ld < rows), x.argument, ld);
}

}  // namespace rooftile::scalapack
