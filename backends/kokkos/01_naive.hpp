// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/kokkos/launch.hpp"
#include "backends/kokkos/tile_ops.hpp"

namespace rooftile::portable {

/// One thread per element of C. Each multiply-add loads two values from global memory: 0.25 FLOP/B in fp32.
template <class T, class Tile>
struct Naive {
  Products<T> batch;
  Tile tile;

  static int scratch_elements(const Tile&) { return 0; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Team team(member, tile, batch);
    const GemmArgs<T> args = product_of(team, batch);
    const MatrixRef<const T> A = args.A, B = args.B;
    const MatrixRef<T> C = args.C;
    const auto origin = tile_origin(team, C);

    for_each_element(team, origin, [&](Index row, Index col, int, int) {
      if (row >= C.rows || col >= C.cols) return;
      // The loop advances pointers to the row of A and the column of B. Addresses computed from k make the
      // kernel a third slower.
      const T *a = &A(row, 0), *b = &B(0, col);
      T product = 0;
      ROOFTILE_UNROLL(8)  // with nvcc's default of 16, loads in fp64 wait for each other
      for (Index k = 0; k < A.cols; ++k, a += A.col_stride, b += B.row_stride) {
        detail::multiply_add(product, A.read(*a), B.read(*b));
      }
      detail::update(C(row, col), args.alpha, product, args.beta);
    });
  }
};

template <>
struct KernelOf<Kernel::naive> {
  template <class T, class Tile>
  using Functor = Naive<T, Tile>;
};

}  // namespace rooftile::portable
