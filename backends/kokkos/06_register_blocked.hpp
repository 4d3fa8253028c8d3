// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::portable {

/// A thread computes TM×TN elements of C, so that TM + TN values from team scratch serve TM·TN multiply-adds.
/// The arithmetic units limit the kernel instead of scratch memory. The load transposes the panel of A, so
/// that the values that a thread reads are contiguous.
template <class T, class Tile>
struct RegisterBlocked {
  using Panels = PanelRingOf<Kernel::register_blocked, T, Tile>;
  using Feed = detail::PanelFeed<T, Panels, Tile::max_threads>;
  using Registers = detail::RegisterTile<T, Tile>;

  Products<T> batch;
  Tile tile;

  static int scratch_elements(const Tile&) { return Panels::elements; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    const auto& [alpha, A, B, beta, C] = product_of(team, batch);
    const auto [row0, col0] = tile_origin(team, C);
    const Panels panels{scratch_tile<T>(team, 1, Panels::elements).data};
    Feed feed(A, B, row0, col0, team.rank());
    Registers acc(team.rank(), detail::conjugates_b(A, B));  // (TM,TN)
    [[maybe_unused]] constexpr int unroll = detail::unrolled_steps(Tile::bk());

    for (int skip = detail::rows_before_first_panel<Tile::bk()>(A.cols); feed.panels > 0; skip = 0) {
      feed.template begin_load<true>(panels, skip);  // (BK,BM) and (BK,BN)
      detail::wait_for_groups<0>();
      barrier(team);
      ROOFTILE_UNROLL(unroll)
      for (int k = 0; k < tile.bk(); ++k) {
        typename Registers::Fragments fragments;  // (TM) and (TN)
        acc.load(fragments, panels.a(0), panels.b(0), k);
        acc.multiply_add(fragments);
      }
      barrier(team);
    }
    store_registers(team, batch, acc);
  }
};

template <>
struct KernelOf<Kernel::register_blocked> {
  template <class T, class Tile>
  using Functor = RegisterBlocked<T, Tile>;
};

}  // namespace rooftile::portable
