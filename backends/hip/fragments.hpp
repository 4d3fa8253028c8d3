// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/launch.hpp"
#include "device/amd/mfma_tile.hpp"
#include "device/amd/staged_pipeline.hpp"
#include "device/common/pipeline.hpp"

/// The parts of the matrix-instruction rungs on AMD GPUs: MFMA, and copies through registers.
namespace rooftile::portable {

template <class T, class Tile>
using FragmentTile = detail::MfmaTile<T, Tile>;

template <Kernel, class T, class Tile, detail::Major a, detail::Major b>
using FragmentRing = detail::PanelPair<T, Tile, a, b>;

/// acc += A·B over the team's tile of C at (row0,col0). Does nothing on a GPU without MFMA: a program may be
/// built for several GPUs, and the planner refuses the kernel there.
template <class T, class Tile, bool, class Ring, class Team>
KOKKOS_FUNCTION void multiply_by_fragments(const Team& team, FragmentTile<T, Tile>& acc, const Ring& ring,
                                           const MatrixRef<const T>& A, const MatrixRef<const T>& B,
                                           Index row0, Index col0) {
  static_assert(Ring::elements * sizeof(T) <= detail::panel_bytes(rung_of(Kernel::tensor_core), Tile::shape,
                                                                  type_of<T>(),
                                                                  Backend<Kokkos::HIP>::asynchronous_copies),
                "the model counts the ring's shared memory");
  if constexpr (detail::has_mfma) {
    acc.a_by_k = Ring::PanelA::major == detail::Major::k;
    acc.b_by_k = Ring::PanelB::major == detail::Major::k;
    detail::multiply_staged<T, Tile>(team, acc, ring, A, B, row0, col0);
  }
}

/// `multiply_by_fragments` for the products of a group, each of which has its own alignment.
template <class T, class Tile, class Ring, class Team>
KOKKOS_FUNCTION void multiply_by_any_fragments(const Team& team, FragmentTile<T, Tile>& acc, const Ring& ring,
                                               const MatrixRef<const T>& A, const MatrixRef<const T>& B,
                                               Index row0, Index col0) {
  multiply_by_fragments<T, Tile, false>(team, acc, ring, A, B, row0, col0);
}

}  // namespace rooftile::portable
