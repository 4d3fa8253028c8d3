// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/stream_k.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"

namespace rooftile::portable {

/// Tiles that would not fill the SMs are divided into work units along K, so that all teams end together for
/// any number of tiles. The loop is that of `pipelined`. A second kernel adds the partial sums of a tile,
/// always in one order.
template <class T, class Tile>
struct StreamK {
  using Ring = PanelRingOf<Kernel::stream_k, T, Tile>;
  using Registers = detail::RegisterTile<T, Tile>;  // (TM,TN)

  KernelArgs<StreamProducts<T>> args;
  Tile tile;

  static int scratch_elements(const Tile&) { return Ring::elements; }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    const StreamProducts<T>& stream = *args;
    const Team team(member, tile, stream.batch);
    const Ring ring{scratch_tile<T>(team, 1, Ring::elements).data};

    detail::multiply_parts<Registers, Tile>(
        team, stream, team.rank_in_league(),
        [&](Registers& acc, const auto& A, const auto& B, Index row0, Index col0) {
          detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, row0, col0);
        });
  }
};

template <>
struct KernelOf<Kernel::stream_k> {
  template <class T, class Tile>
  using Functor = StreamK<T, Tile>;
};

}  // namespace rooftile::portable
