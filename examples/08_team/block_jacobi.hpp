// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A block-Jacobi preconditioner: z = D⁻¹·r for 8 right-hand sides, D⁻¹ of blocks (32,32), one product per team.
#pragma once

#include <Kokkos_Core.hpp>
#include <rooftile/team_gemm.hpp>

namespace team_example {

template <class Exec>
struct BlockJacobi {
  static constexpr int n = 32, columns = 8;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Blocks = Kokkos::View<double* [n][n], Kokkos::LayoutRight, typename Exec::memory_space>;
  using Vectors = Kokkos::View<double* [columns], Kokkos::LayoutRight, typename Exec::memory_space>;

  Blocks inverse;  ///< (blocks,32,32)
  Vectors r, z;    ///< (32·blocks,8)

  static constexpr double flops = 2.0 * n * n * columns,
                          bytes = (n * n + 2.0 * n * columns) * sizeof(double);  // of a block

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int b = team.league_rank();
    const auto D = rooftile::row_major(&inverse(b, 0, 0), n, n);           // (32,32)
    const auto R = rooftile::row_major(&r(n * b, 0), n, columns);          // (32,8)
    const auto Z = rooftile::row_major(&z(n * b, 0), n, columns);          // (32,8)
    rooftile::TeamGemmOptions<n, columns, n> options;
    options.barrier_before = options.barrier_after = false;  // a team reads and writes global memory once
    rooftile::team_gemm(team, 1, D, R, 0, Z, options);
  }

  void run(const Exec& exec) const {
    const int size = rooftile::team_gemm_team_size(exec, {n, columns, n}, rooftile::Type::fp64);
    Kokkos::parallel_for("block_jacobi", Policy(exec, static_cast<int>(inverse.extent(0)), size), *this);
  }
};

}  // namespace team_example
