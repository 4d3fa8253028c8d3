// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distributed/mpi/runs.hpp"
#include "rooftile/distributed/plan.hpp"

namespace rooftile::distributed {

/// The division of the work. With one layer, each process computes the elements of C that it holds. With more
/// layers, each layer has some steps along K, and its processes compute coarser parts of C. These partial
/// sums are sent to the processes that hold C.
struct Division {
  Grid grid;       ///< the processes of a layer
  int layers = 1;  ///< the number of layers that divide K
  Slice c_rows;    ///< rows of C, on the grid of a layer
  Slice c_cols;    ///< columns of C, on the grid of a layer
  Slice k;         ///< K, divided among the layers

  /// The layer and the part of C that one process computes.
  struct Place {
    int layer, row, col;
  };

  /// Whether a process computes. The other processes of the grid of the operands only send and receive.
  bool computes(int rank) const { return rank < grid.size() * layers; }
  /// The place of a process. Consecutive ranks are on different layers, because the columns of the grid of
  /// the operands hold different steps of A. @pre `computes`
  Place place(int rank) const {
    const int in_layer = rank / layers;
    return {rank % layers, in_layer / grid.cols, in_layer % grid.cols};
  }
  /// The rank of the process at a place. @param in_layer  its rank in the grid of a layer
  int rank(int layer, int in_layer) const { return in_layer * layers + layer; }
  /// The number of row or column indices of C that a process computes.
  Index computed(const Slice& slice, int rank) const {
    if (!computes(rank)) return 0;
    const auto [layer, row, col] = place(rank);
    return held(slice, processes_of(slice, grid), coordinate_of(slice, row, col), 0, slice.extent);
  }
  /// The number of steps [from, to) along K that belong to a layer.
  Index steps(int layer, Index from, Index to) const { return held(k, layers, layer, from, to); }
};

/// The plan without `bytes_moved`, which a product does not use, and which is slow to count with several
/// layers. @throws Error as `explain` does
Plan plan_product(const Operands& operands, const Options& options);

/// The division that a plan describes.
inline Division division_of(const Plan& plan, const Slice& c_rows, const Slice& c_cols, const Slice& a_cols) {
  const auto [m, n, k] = plan.shape;
  if (plan.layers == 1) return {plan.grid, 1, c_rows, c_cols, {{k, std::max<Index>(k, 1)}, 0, k}};
  const auto even = [](Index extent, int processes, bool to_rows) {
    const Index block = std::max<Index>((extent + processes - 1) / processes, 1);
    return Slice{{extent, block}, 0, extent, to_rows};
  };
  // Blocks along K start at the block boundaries of A, so that few processes hold the blocks of a layer.
  const Dealing& of_a = a_cols.dealing;
  const Index to_next = of_a.begin_of(of_a.block_of(a_cols.begin) + 1) - a_cols.begin;
  const int owner = of_a.owner(of_a.block_of(a_cols.begin), processes_of(a_cols, plan.grid));
  const Index first = (to_next - 1) % plan.block + 1;
  return {plan.layer_grid,
          plan.layers,
          even(m, plan.layer_grid.rows, true),
          even(n, plan.layer_grid.cols, false),
          {{k, plan.block, first, owner % plan.layers}, 0, k}};
}

}  // namespace rooftile::distributed
