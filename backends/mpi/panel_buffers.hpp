// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backends/mpi/division.hpp"
#include "rooftile/types.hpp"

namespace rooftile::distributed {

/// Each buffer begins at a multiple of so many bytes.
inline constexpr std::size_t alignment_of_buffers = 64;

/// Elements of the buffers of one operand's panels on one process.
struct PanelSizes {
  Index sent = 0;      ///< what it packs
  Index received = 0;  ///< what arrives; and the panel that is made of it

  /// @param outer   the operand's dimension that C has, too
  /// @param inner   its other one, along K
  /// @param wanted  C's dimension that `outer` is, as it is computed
  /// @param depth   of a panel on one layer
  static PanelSizes of(const Slice& outer, const Slice& inner, const Slice& wanted, const Division& division,
                       const Grid& grid, int rank, Index depth) {
    return {held_by(outer, grid, rank) * std::min(depth * division.layers, held_by(inner, grid, rank)),
            division.computed(wanted, rank) * depth};
  }
  Index all() const { return sent + 2 * received; }
};

/// Elements of the buffers for C's sums on one process, where there are layers.
struct SumSizes {
  Index partial = 0;   ///< its layer's part of C, as long as there are panels
  Index sent = 0;      ///< that part, packed
  Index received = 0;  ///< what arrives from all layers

  /// @param c_rows, c_cols  of C, where it lies
  static SumSizes of(const Slice& c_rows, const Slice& c_cols, const Division& division, const Grid& grid,
                     int rank) {
    if (division.layers == 1) return {};
    const Index partial = division.computed(division.c_rows, rank) * division.computed(division.c_cols, rank);
    return {partial, partial, held_by(c_rows, grid, rank) * held_by(c_cols, grid, rank) * division.layers};
  }
};

/// What aligning them costs: of two operands' three buffers, a part of C, and what stands for panels after
/// them.
inline constexpr std::size_t padding_of_buffers = 7 * alignment_of_buffers;

}  // namespace rooftile::distributed
