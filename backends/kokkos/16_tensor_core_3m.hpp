// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// For GPUs
#pragma once

#include <algorithm>

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "device/common/pipeline.hpp"
#include "device/nvidia/mma_3m_tile.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::portable {

/// The matrix instructions multiply three times for complex numbers in place of four. A lane adds the parts
/// of what it reads, few additions beside the products, and has three sums for an element of C. NVIDIA's
/// alone have complex numbers.
template <class T, class Tile>
struct TensorCore3m {
  template <detail::Major a, detail::Major b>
  using Ring = PanelRingOf<Kernel::tensor_core_3m, T, Tile, a, b>;
  static constexpr auto x = detail::Major::x, k = detail::Major::k;
  static constexpr int elements =
      std::max({Ring<x, x>::elements, Ring<x, k>::elements, Ring<k, x>::elements, Ring<k, k>::elements});

  Products<T> batch;
  Tile tile;

  static int scratch_elements(const Tile&) { return elements; }

  /// Part of the kernel however long it is: a call would pass registers through memory.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    const GemmArgs<T> args = product_of(team, batch);
    const MatrixRef<const T> A = args.A, B = args.B;
    const Origin origin = tile_origin(team, args.C);
    T* const scratch = scratch_tile<T>(team, 1, elements).data;
    detail::Mma3mTile<T, Tile> acc(team.rank(), detail::conjugates_b(A, B));  // of a warp, (4·TM,8·TN)

    detail::with_majors(A, B, [&]<detail::Major a_major, detail::Major b_major>() {
      const Ring<a_major, b_major> ring{scratch};
      detail::multiply_pipelined<T, Tile>(team, acc, ring, A, B, origin.row0, origin.col0);
    });
    store_registers(team, batch, acc);
  }
};

template <>
struct KernelOf<Kernel::tensor_core_3m> {
  template <class T, class Tile>
  using Functor = TensorCore3m<T, Tile>;
};

}  // namespace rooftile::portable
