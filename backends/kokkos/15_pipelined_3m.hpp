// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// For GPUs
#pragma once

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "device/common/pipeline.hpp"
#include "device/common/register_3m_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::portable {

/// The pipeline of complex numbers with three multiply-adds for a product in place of four: a thread adds the
/// parts of each value it reads once, and has three sums for an element of C.
template <class T, class Tile>
struct Pipelined3m {
  using Ring = PanelRingOf<Kernel::pipelined_3m, T, Tile>;

  Products<T> batch;
  Tile tile;

  static int scratch_elements(const Tile&) { return Ring::elements; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    const auto& [alpha, A, B, beta, C] = product_of(team, batch);
    const auto [row0, col0] = tile_origin(team, C);
    const Ring ring{scratch_tile<T>(team, 1, Ring::elements).data};
    detail::Register3mTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (TM,TN)

    detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
    store_registers(team, batch, acc);
  }
};

template <>
struct KernelOf<Kernel::pipelined_3m> {
  template <class T, class Tile>
  using Functor = Pipelined3m<T, Tile>;
};

}  // namespace rooftile::portable
