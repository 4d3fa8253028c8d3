// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/split_k.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "device/common/pipeline.hpp"
#include "device/common/register_tile.hpp"

namespace rooftile::portable {

/// A C with few tiles and a long K leaves SMs idle. Here the teams of a cluster split K of one tile and read
/// each other's partial sums in shared memory. Neither a workspace nor a second kernel is needed.
template <class T, class Tile>
struct SplitK {
  using Ring = PanelRingOf<Kernel::split_k, T, Tile>;
  using Registers = detail::RegisterTile<T, Tile>;  // (TM,TN)

  Products<T> batch;
  Tile tile;
  Index split_steps;

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    KOKKOS_IF_ON_DEVICE((compute(member);))
  }

 private:
  template <class Member>
  __device__ __forceinline__ void compute(const Member& member) const {
    const Team team(member, tile, batch);
    multiply_split<Kernel::split_k, Registers>(
        team, batch, split_steps,
        [&](Registers& acc, T* scratch, const auto& A, const auto& B, Index row0, Index col0) {
          detail::multiply_pipelined<T, Tile>(team, acc, Ring{scratch}, A, B, row0, col0);
        });
  }
};

template <>
struct KernelOf<Kernel::split_k> {
  template <class T, class Tile>
  using Functor = SplitK<T, Tile>;
};

}  // namespace rooftile::portable
