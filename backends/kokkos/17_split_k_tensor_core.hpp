// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/split_k.hpp"
#include "backends/kokkos/fragments.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"

namespace rooftile::portable {

/// Tiles of the tensor cores in fp64 and complex fp64, with K split as in `split_k`.
/// @tparam vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
template <class T, class Tile, bool vectors>
struct SplitKTensorCore {
  template <detail::Major a, detail::Major b>
  using Ring = FragmentRing<Kernel::split_k_tensor_core, T, Tile, a, b>;
  using Fragments = FragmentTile<T, Tile>;  // (4·TM,8·TN) per warp

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
    multiply_split<Kernel::split_k_tensor_core, Fragments>(
        team, batch, split_steps,
        [&](Fragments & acc, T * scratch, const auto& A, const auto& B, Index row0, Index col0)
            __attribute__((always_inline)) {
              detail::with_majors(
                  A, B, [&]<detail::Major a_major, detail::Major b_major>() __attribute__((always_inline)) {
                    const Ring<a_major, b_major> ring{scratch};
                    multiply_by_fragments<T, Tile, vectors>(team, acc, ring, A, B, row0, col0);
                  });
            });
  }
};

template <>
struct KernelOf<Kernel::split_k_tensor_core> {
  template <class T, class Tile, bool vectors = false>
  using Functor = SplitKTensorCore<T, Tile, vectors>;
};

}  // namespace rooftile::portable
