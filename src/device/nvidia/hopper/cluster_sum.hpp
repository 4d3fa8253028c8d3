// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/common/vector.hpp"
#include "device/nvidia/hopper/cluster.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/detail/epilogue.hpp"
#include "rooftile/matrix.hpp"

/// Adds the partial sums of a tile of C whose K is split over the blocks of a cluster.
namespace rooftile::detail {

/// @tparam T  elements of C
template <class T, class Tile>
struct ClusterSum {
  using Sum = Scalar<T>;
  static constexpr int width = 16 / static_cast<int>(sizeof(Sum));            ///< elements of a vector
  static constexpr int ld = Tile::bn() + 64 / static_cast<int>(sizeof(Sum));  ///< different banks per row
  static_assert(sizeof(Sum) * static_cast<std::size_t>(Tile::bm() * ld) ==
                cluster_sum_bytes(Tile::shape, type_of<T>()));
  static constexpr unsigned per_row = static_cast<unsigned>(Tile::bn() / width),
                            vectors = per_row * static_cast<unsigned>(Tile::bm());
  using Vectors = Vector<Sum, width>;

  /// C = alpha · (sum of the cluster's accumulators) + beta · C. Each block adds a part of the tile. The
  /// order of additions is fixed.
  /// @param shared  the block's memory of `cluster_sum_bytes`, which no thread uses any longer
  template <class Accumulator>
  __device__ static void store(const Accumulator& acc, Sum* shared, const MatrixRef<T>& C, Index row0,
                               Index col0, Sum alpha, Sum beta, int thread, bool conjugates) {
    const MatrixRef<Sum> own{shared, Tile::bm(), Tile::bn(), ld, 1};
    if constexpr (is_complex<T>) {
      acc.store(own, 0, 0, thread, Sum(1), Sum(0), conjugates);
    } else {
      acc.store(own, 0, 0, thread, Sum(1), Sum(0));
    }
    cluster::barrier();
    const unsigned blocks = cluster::size();
    constexpr auto threads = static_cast<unsigned>(Tile::max_threads);
    for (unsigned v = cluster::rank() * threads + static_cast<unsigned>(thread); v < vectors;
         v += blocks * threads) {
      const unsigned row = v / per_row, col = v % per_row * width;
      if (row0 + row >= C.rows) break;
      const auto* const from = reinterpret_cast<const Vectors*>(shared + row * ld + col);
      Vectors sum = {};
#pragma unroll 4
      for (unsigned block = 0; block < blocks; ++block) {
        const Vectors part = cluster::read(from, block);
#pragma unroll
        for (int e = 0; e < width; ++e) sum.value[e] += part.value[e];
      }
#pragma unroll
      for (int e = 0; e < width; ++e) {
        if (col0 + col + e < C.cols) update(C(row0 + row, col0 + col + e), alpha, sum.value[e], beta);
      }
    }
    cluster::barrier();  // a block must not end while others read its memory
  }
};

}  // namespace rooftile::detail
