// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backends/mpi/runs.hpp"
#include "rooftile/types.hpp"

namespace rooftile::distributed {

/// Each buffer begins at a multiple of so many bytes.
inline constexpr std::size_t alignment_of_buffers = 64;
/// What that costs of two operands' three buffers.
inline constexpr std::size_t padding_of_panels = 6 * alignment_of_buffers;

/// Of one operand on one process, elements for each step along K.
struct PanelSizes {
  Index sent = 0;    ///< that it holds, at most
  Index wanted = 0;  ///< that its part of C is computed from

  /// @param outer   the operand's dimension that C has, too
  /// @param wanted  C's
  static PanelSizes of(const Slice& outer, const Slice& wanted, const Grid& grid, int row, int col) {
    return {
        distributed::held(outer, processes_of(outer, grid), coordinate_of(outer, row, col), 0, outer.extent),
        distributed::held(wanted, processes_of(wanted, grid), coordinate_of(wanted, row, col), 0,
                          wanted.extent)};
  }

  /// What is sent, what arrives, and the panel that is made of it.
  std::size_t bytes_per_step(Type type) const {
    return static_cast<std::size_t>(sent + 2 * wanted) * size_of(type);
  }
};

}  // namespace rooftile::distributed
