// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backends/kokkos/fragments.hpp"
#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"
#include "plan/batch_parts.hpp"

namespace rooftile::portable {

/// Multiplies with the tensor cores, or with AMD's matrix cores, which are twice as fast as the other units
/// in fp64 and ten times in 16 bits. Fragments do not need a contiguous x. A panel therefore keeps the major
/// order of its operand and is copied 16 bytes at a time. NVIDIA's tensor cores have no fp32 instruction:
/// real fp32 elements are multiplied in tf32. The backend's `fragments.hpp` contains the code that differs
/// between GPUs.
/// @tparam vectors  whether threads are known to copy both operands in whole vectors of 16 bytes
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

  /// Always inlined into the kernel: a call would pass registers through memory.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    const GemmArgs<T> args = product_of(team, batch);
    const MatrixRef<const In<T>> A = args.A, B = args.B;
    const Origin origin = tile_origin(team, args.C);
    In<T>* const scratch = scratch_tile<In<T>>(team, 1, elements).data;
    // (4·TM,8·TN) per warp, or (8·TM,8·TN) per wave of 64.
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
