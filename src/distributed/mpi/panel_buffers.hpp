// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "distributed/mpi/division.hpp"
#include "rooftile/types.hpp"

namespace rooftile::distributed {

/// Alignment of each buffer in bytes, on the host and on GPUs.
inline constexpr std::size_t alignment_of_buffers = 64, alignment_on_gpus = 256;

/// The next aligned address.
template <class T>
T* aligned(T* p, std::size_t alignment = alignment_of_buffers) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return reinterpret_cast<T*>((address + alignment - 1) / alignment * alignment);
}

/// A run in a message, as a matrix (rows, steps).
template <class T>
MatrixRef<T> in_message(T* data, Index rows, Index steps, bool along_k) {
  return along_k ? row_major(data, rows, steps) : column_major(data, rows, steps);
}

/// Elements of the panel buffers of one operand on one process.
struct PanelSizes {
  Index sent = 0;      ///< elements that the process packs
  Index received = 0;  ///< elements that arrive; also the size of the panel made of them

  /// @param outer,inner  number of indices that the process holds: along the dimension shared with C, and
  /// along K
  /// @param wanted  number of indices of the dimension shared with C that the process computes
  /// @param depth  depth of a panel on one layer
  static PanelSizes of(Index outer, Index inner, Index wanted, int layers, Index depth) {
    return {outer * std::min(depth * layers, inner), wanted * depth};
  }
  Index all() const { return sent + 2 * received; }
};

/// Whether each process already holds its wanted part of an operand in order, so that the part is read in
/// place.
inline bool stays(const Slice& outer, const Slice& inner, const Slice& wanted, const Grid& grid) {
  return processes_of(inner, grid) == 1 && outer.to_rows == wanted.to_rows && divide_alike(outer, wanted);
}

/// Elements of the panel buffers of one operand on a GPU. One of two panels is multiplied while the other
/// arrives. Lines of panels start at multiples of a vector.
struct GpuPanelSizes {
  Index sent = 0;
  Index received = 0;
  Index panel = 0;  ///< elements of each of the two panels

  /// The length of a line, padded to 16 elements.
  static constexpr Index line(Index elements) { return (elements + 15) / 16 * 16; }

  /// @param outer, inner, wanted  numbers of indices, as for `PanelSizes`
  static GpuPanelSizes of(Index outer, Index inner, Index wanted, Index depth) {
    const auto [sent, received] = PanelSizes::of(outer, inner, wanted, 1, depth);
    return {sent, received, line(wanted) * line(depth)};
  }
  Index all() const { return sent + received + 2 * panel; }
};

/// Elements of the buffers for the partial sums of C on one process, with several layers.
struct SumSizes {
  Index partial = 0;   ///< the layer's part of C, live during all panels
  Index sent = 0;      ///< the packed partial sums
  Index received = 0;  ///< elements that arrive from all layers

  /// @param computed  elements of C that the process computes
  /// @param held      elements of C that the process holds
  static SumSizes of(Index computed, Index held, int layers) {
    if (layers == 1) return {};
    return {computed, computed, held * layers};
  }
};

/// Bytes for alignment: three buffers for each of two operands, and the part of C. The message buffers of C
/// later reuse the memory of the panels.
inline constexpr std::size_t padding_of_buffers = 7 * alignment_of_buffers;
/// Bytes for alignment on GPUs: four buffers for each of two operands.
inline constexpr std::size_t padding_on_gpus = 8 * alignment_on_gpus;

}  // namespace rooftile::distributed
