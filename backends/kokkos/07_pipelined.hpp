// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::portable {

/// Asynchronous copies bring panels several stages ahead, and a thread reads its next values while it
/// multiplies. The multiply-adds therefore wait for neither global nor scratch memory. `multiply_pipelined`
/// contains the loop.
template <class T, class Tile>
struct Pipelined {
  using Ring = PanelRingOf<Kernel::pipelined, T, Tile>;

  Products<T> batch;
  Tile tile;

  static int scratch_elements(const Tile&) { return Ring::elements; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    const auto& [alpha, A, B, beta, C] = product_of(team, batch);
    const auto [row0, col0] = tile_origin(team, C);
    const Ring ring{scratch_tile<T>(team, 1, Ring::elements).data};
    detail::RegisterTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // (TM,TN)

    detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
    store_registers(team, batch, acc);
  }
};

template <>
struct KernelOf<Kernel::pipelined> {
  template <class T, class Tile>
  using Functor = Pipelined<T, Tile>;
};

}  // namespace rooftile::portable
