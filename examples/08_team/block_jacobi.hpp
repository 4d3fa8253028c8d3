// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A block-Jacobi preconditioner: z = D⁻¹·r for 8 right-hand sides, with blocks of D⁻¹ (32,32). One product
// per team.
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
                          bytes = (n * n + 2.0 * n * columns) * sizeof(double);  // per block

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int b = team.league_rank();
    const auto D = rooftile::row_major(&inverse(b, 0, 0), n, n);   // (32,32)
    const auto R = rooftile::row_major(&r(n * b, 0), n, columns);  // (32,8)
    const auto Z = rooftile::row_major(&z(n * b, 0), n, columns);  // (32,8)
    rooftile::TeamGemmOptions<n, columns, n> options;
    options.barrier_before = options.barrier_after = false;  // each team accesses global memory only once
    rooftile::team_gemm(team, 1, D, R, 0, Z, options);
  }

  /// Small integers, so that the products are exact.
  static BlockJacobi make(const Exec& exec, int blocks) {
    BlockJacobi x{Blocks("inverse", blocks), Vectors("r", blocks * n), Vectors("z", blocks * n)};
    const Blocks inverse = x.inverse;
    const Vectors r = x.r;
    Kokkos::parallel_for(
        "r", Kokkos::RangePolicy<Exec>(exec, 0, blocks * n), KOKKOS_LAMBDA(int row) {
          for (int j = 0; j < n; ++j) inverse(row / n, row % n, j) = (row + 5 * j) % 9 - 4;
          for (int j = 0; j < columns; ++j) r(row, j) = (3 * row + j) % 7 - 3;
        });
    return x;
  }

  /// Compares the first and the last block with a loop on the host. @return 0, or the largest difference
  double error() const {
    double largest = 0;
    for (const int b : {0, static_cast<int>(inverse.extent(0)) - 1}) {
      const auto rows = Kokkos::pair<int, int>(b * n, b * n + n);
      const auto D = Kokkos::create_mirror_view_and_copy(
          Kokkos::HostSpace(), Kokkos::subview(inverse, b, Kokkos::ALL, Kokkos::ALL));
      const auto R =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(r, rows, Kokkos::ALL));
      const auto Z =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(z, rows, Kokkos::ALL));
      for (int i = 0; i < n; ++i) {
        for (int c = 0; c < columns; ++c) {
          double sum = 0;
          for (int k = 0; k < n; ++k) sum += D(i, k) * R(k, c);
          largest = Kokkos::fmax(largest, Kokkos::fabs(sum - Z(i, c)));
        }
      }
    }
    return largest;
  }

  void run(const Exec& exec) const {
    const int size = rooftile::team_gemm_team_size(exec, {n, columns, n}, rooftile::Type::fp64);
    Kokkos::parallel_for("block_jacobi", Policy(exec, static_cast<int>(inverse.extent(0)), size), *this);
  }
};

}  // namespace team_example
