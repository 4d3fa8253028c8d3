// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "device/common/vector.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/error.hpp"
#include "rooftile/matrix.hpp"

namespace rooftile::detail {

/// The sum of the products of several splits of K: C = alpha · (sum over splits of partial) + beta · C, for
/// each product of a batch.
/// @tparam Sum  what the splits are summed in
template <class Sum, class Out>
struct SplitSum {
  static constexpr int columns = 128;                               ///< of a row of C, of a team
  static constexpr int lanes = 8;                                   ///< threads that share a vector's splits
  static constexpr int width = 16 / static_cast<int>(sizeof(Sum));  ///< elements of a vector
  static constexpr int vectors = columns / width;                   ///< of a team
  static constexpr int threads = vectors * lanes;
  using Sums = Vector<Sum, width>;

  const Sum* partial;  // (batch,splits,M,ld)
  Index ld;            ///< a multiple of 16 bytes
  Index split_stride;
  int splits;
  MatrixRef<Out> C;  // (M,N)
  Sum alpha;
  Sum beta;
  Index c_stride = 0;  ///< from a product's C to the next

  ROOFTILE_FUNCTION Index teams_per_row() const { return (C.cols + columns - 1) / columns; }

  /// Teams of one product. @throws Error where they are more than a launch has
  Index teams() const {
    const Index all = teams_per_row() * C.rows;
    if (all > std::numeric_limits<int>::max()) {
      throw Error(text("C is too large for one launch (", C.rows, " x ", C.cols, "): split C"));
    }
    return all;
  }

  /// A team adds 128 elements of a row of C. Always in the same order, so the result is the same from run to
  /// run.
  /// @param sums  (threads), shared by the team
  /// @param meet  waits for all of the team
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
    } else {  // nobody wrote what lies behind the row
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
