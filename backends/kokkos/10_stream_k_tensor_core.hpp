// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backends/kokkos/fragments.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/stream_k.hpp"
#include "backends/kokkos/tile_ops.hpp"

namespace rooftile::portable {

/// Tiles of the tensor cores, divided into work units as in `stream_k`. Partial sums of 16-bit tiles are
/// added in fp32 and rounded once.
/// @tparam vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
template <class T, class Tile, bool vectors>
struct StreamKTensorCore {
  template <detail::Major a, detail::Major b>
  using Ring = FragmentRing<Kernel::stream_k_tensor_core, In<T>, Tile, a, b>;
  using Fragments = FragmentTile<In<T>, Tile>;  // (4·TM,8·TN) per warp, or (8·TM,8·TN) per wave of 64
  static constexpr auto x = detail::Major::x, k = detail::Major::k;
  static constexpr int elements =
      std::max({Ring<x, x>::elements, Ring<x, k>::elements, Ring<k, x>::elements, Ring<k, k>::elements});

  KernelArgs<StreamProducts<T>> args;
  Tile tile;

  static int scratch_elements(const Tile&) { return elements; }

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    const StreamProducts<T>& stream = *args;
    const Team team(member, tile, stream.batch);
    In<T>* const scratch = scratch_tile<In<T>>(team, 1, elements).data;

    detail::multiply_parts<Fragments, Tile>(
        team, stream, team.rank_in_league(),
        [&](Fragments & acc, const auto& A, const auto& B, Index row0, Index col0)
            __attribute__((always_inline)) {
              detail::with_majors(
                  A, B, [&]<detail::Major a_major, detail::Major b_major>() __attribute__((always_inline)) {
                    const Ring<a_major, b_major> ring{scratch};
                    multiply_by_fragments<In<T>, Tile, vectors>(team, acc, ring, A, B, row0, col0);
                  });
            });
  }
};

template <>
struct KernelOf<Kernel::stream_k_tensor_core> {
  template <class T, class Tile, bool vectors = false>
  using Functor = StreamKTensorCore<T, Tile, vectors>;
};

}  // namespace rooftile::portable
