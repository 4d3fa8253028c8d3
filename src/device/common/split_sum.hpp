// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "device/common/vector.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/error.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::detail {

/// Adds the products of several splits of K: C = alpha · (sum over splits of partial) + beta · C, for each
/// batch entry.
/// @tparam Sum  the accumulator type
template <class Sum, class Out>
struct SplitSum {
  static constexpr int columns = 128;                               ///< columns of C per team
  static constexpr int lanes = 8;                                   ///< threads that share a vector's splits
  static constexpr int width = 16 / static_cast<int>(sizeof(Sum));  ///< elements of a vector
  static constexpr int vectors = columns / width;                   ///< vectors per team
  static constexpr int threads = vectors * lanes;
  using Sums = Vector<Sum, width>;

  const Sum* partial;  // (batch,splits,M,ld)
  Index ld;            ///< a multiple of 16 bytes
  Index split_stride;
  int splits;
  MatrixRef<Out> C;  // (M,N)
  Sum alpha;
  Sum beta;
  Index c_stride = 0;  ///< elements from one entry's C to the next

  ROOFTILE_FUNCTION Index teams_per_row() const { return (C.cols + columns - 1) / columns; }

  /// Returns the teams per batch entry. @throws Error if a launch cannot have that many
  Index teams() const {
    const Index all = teams_per_row() * C.rows;
    if (all > std::numeric_limits<int>::max()) {
      throw Error(text("C is too large for one launch (", C.rows, " x ", C.cols, "): split C"));
    }
    return all;
  }

  /// Computes 128 elements of a row of C. The order of additions is fixed, so that results do not differ
  /// between runs.
  /// @param sums  (threads), shared by the team
  /// @param meet  barrier of the team
  template <class Meet>
  ROOFTILE_FUNCTION void compute(unsigned team, unsigned product, unsigned thread, Sums* sums,
                                 const Meet& meet) const {
    const auto per_row = static_cast<unsigned>(teams_per_row());
    const Index row = team / per_row;
    const unsigned vector = thread % vectors;
    const Index col = team % per_row * columns + vector * width;
    const int first = static_cast<int>(thread / vectors);
    Sums sum = {};
    const Sum* const from = partial + product * (splits * split_stride) + row * ld + col;
    if (col + width <= C.cols) {
      ROOFTILE_UNROLL(4)
      for (int split = first; split < splits; split += lanes) {
        add(sum, *reinterpret_cast<const Sums*>(from + split * split_stride));
      }
    } else {  // elements behind the row were never written
      for (int split = first; split < splits; split += lanes) {
        ROOFTILE_UNROLL_ALL
        for (int e = 0; e < width; ++e) {
          if (col + e < C.cols) sum.value[e] += from[split * split_stride + e];
        }
      }
    }
    sums[thread] = sum;
    meet();
    if (first > 0) return;
    for (unsigned lane = 1; lane < lanes; ++lane) add(sum, sums[lane * vectors + vector]);
    MatrixRef<Out> of_product = C;
    of_product.data += product * c_stride;
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < width; ++e) {
      if (col + e < C.cols) update(of_product(row, col + e), alpha, sum.value[e], beta);
    }
  }

 private:
  ROOFTILE_FUNCTION static void add(Sums& sum, const Sums& y) {
    ROOFTILE_UNROLL_ALL
    for (int e = 0; e < width; ++e) sum.value[e] += y.value[e];
  }
};

}  // namespace rooftile::detail
