// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/launch.hpp"
#include "device/nvidia/mma_pipeline.hpp"
#include "device/nvidia/mma_tile.hpp"

/// The parts of the matrix-instruction rungs on NVIDIA GPUs: `mma.sync` and asynchronous copies.
namespace rooftile::portable {

template <class T, class Tile>
using FragmentTile = detail::MmaTile<T, Tile>;

template <Kernel kernel, class T, class Tile, detail::Major a, detail::Major b>
using FragmentRing = PanelRingOf<kernel, T, Tile, a, b>;

/// acc += A·B over the team's tile of C at (row0,col0).
template <class T, class Tile, bool vectors, class Ring, class Team>
KOKKOS_FUNCTION void multiply_by_fragments(const Team& team, FragmentTile<T, Tile>& acc, const Ring& ring,
                                           const MatrixRef<const T>& A, const MatrixRef<const T>& B,
                                           Index row0, Index col0) {
  detail::multiply_fragments<T, Tile, vectors>(team, acc, ring, A, B, row0, col0);
}

/// `multiply_by_fragments` for the products of a group, each of which has its own alignment.
template <class T, class Tile, class Ring, class Team>
KOKKOS_FUNCTION void multiply_by_any_fragments(const Team& team, FragmentTile<T, Tile>& acc, const Ring& ring,
                                               const MatrixRef<const T>& A, const MatrixRef<const T>& B,
                                               Index row0, Index col0) {
  detail::multiply_any_fragments<T, Tile>(team, acc, ring, A, B, row0, col0);
}

}  // namespace rooftile::portable
