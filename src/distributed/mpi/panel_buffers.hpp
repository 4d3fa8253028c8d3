// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "distributed/mpi/division.hpp"
#include "rooftile/types.hpp"

namespace rooftile::distributed {

/// Each buffer begins at a multiple of so many bytes, on the host and on GPUs.
inline constexpr std::size_t alignment_of_buffers = 64, alignment_on_gpus = 256;

/// The next place where one may begin.
template <class T>
T* aligned(T* p, std::size_t alignment = alignment_of_buffers) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return reinterpret_cast<T*>((address + alignment - 1) / alignment * alignment);
}

/// A run as it lies in a message: (rows, steps).
template <class T>
MatrixRef<T> in_message(T* data, Index rows, Index steps, bool along_k) {
  return along_k ? row_major(data, rows, steps) : column_major(data, rows, steps);
}

/// Elements of the buffers of one operand's panels on one process.
struct PanelSizes {
  Index sent = 0;      ///< what it packs
  Index received = 0;  ///< what arrives; and the panel that is made of it

  /// @param outer,inner  indices that it holds of the operand's dimension that C has, too, and along K
  /// @param wanted       that it computes of C's dimension that `outer` is; `depth` is a panel's on one layer
  static PanelSizes of(Index outer, Index inner, Index wanted, int layers, Index depth) {
    return {outer * std::min(depth * layers, inner), wanted * depth};
  }
  Index all() const { return sent + 2 * received; }
};

/// Whether each process holds all that it wants of an operand, in order, so that it lies where it is.
inline bool stays(const Slice& outer, const Slice& inner, const Slice& wanted, const Grid& grid) {
  return processes_of(inner, grid) == 1 && outer.to_rows == wanted.to_rows && outer.begin == wanted.begin &&
         outer.dealing == wanted.dealing;
}

/// The same on GPUs, where one panel is multiplied while another arrives, and lines of panels begin at whole
/// vectors.
struct GpuPanelSizes {
  Index sent = 0;
  Index received = 0;
  Index panel = 0;  ///< of each of two

  /// A line of so many elements with what follows it up to the next one.
  static constexpr Index line(Index elements) { return (elements + 15) / 16 * 16; }

  /// @param outer, inner, wanted  numbers of indices, as of `PanelSizes`
  static GpuPanelSizes of(Index outer, Index inner, Index wanted, Index depth) {
    const auto [sent, received] = PanelSizes::of(outer, inner, wanted, 1, depth);
    return {sent, received, line(wanted) * line(depth)};
  }
  Index all() const { return sent + received + 2 * panel; }
};

/// Elements of the buffers for C's sums on one process, where there are layers.
struct SumSizes {
  Index partial = 0;   ///< its layer's part of C, as long as there are panels
  Index sent = 0;      ///< that part, packed
  Index received = 0;  ///< what arrives from all layers

  /// @param computed  elements of C that it computes
  /// @param held      and that it holds
  static SumSizes of(Index computed, Index held, int layers) {
    if (layers == 1) return {};
    return {computed, computed, held * layers};
  }
};

/// What aligning them costs: of two operands' three buffers, a part of C, and what stands for panels after
/// them.
inline constexpr std::size_t padding_of_buffers = 7 * alignment_of_buffers;
/// The same on GPUs, of two operands' four buffers each.
inline constexpr std::size_t padding_on_gpus = 8 * alignment_on_gpus;

}  // namespace rooftile::distributed
