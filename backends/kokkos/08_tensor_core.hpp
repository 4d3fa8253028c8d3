// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backends/kokkos/fragments.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::portable {

/// The tensor cores multiply, or AMD's matrix cores: in fp64 they do twice what the other units can, in 16
/// bits ten times. Fragments need no contiguous x, so a panel keeps its operand's own order and is copied 16
/// bytes at a time whichever that is. What differs between GPUs is in `fragments.hpp` of their backends. Of
/// fp32, whose own products NVIDIA's have no instruction for, they multiply the tf32 in it.
/// @tparam vectors  whether lines of both operands are known to be whole vectors
template <class T, class Tile, bool vectors>
struct TensorCore {
  template <detail::Major a, detail::Major b>
  using Ring = FragmentRing<Kernel::tensor_core, In<T>, Tile, a, b>;
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
    const MatrixRef<const In<T>> A = args.A, B = args.B;
    const Origin origin = tile_origin(team, args.C);
    In<T>* const scratch = scratch_tile<In<T>>(team, 1, elements).data;
    // Of a warp, (4·TM,8·TN), or of a wave of 64, (8·TM,8·TN).
    FragmentTile<In<T>, Tile> acc(team.rank(), detail::conjugates_b(A, B));

    detail::with_majors(A, B, [&]<detail::Major a_major, detail::Major b_major>() {
      const Ring<a_major, b_major> ring{scratch};
      multiply_by_fragments<In<T>, Tile, vectors>(team, acc, ring, A, B, origin.row0, origin.col0);
    });
    store_registers(team, batch, acc);
  }
};

template <>
struct KernelOf<Kernel::tensor_core> {
  template <class T, class Tile, bool vectors = false>
  using Functor = TensorCore<T, Tile, vectors>;
};

}  // namespace rooftile::portable
