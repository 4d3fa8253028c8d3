// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Batched Cholesky factorisation A = L·Lᵀ of matrices (64,64), whose trailing updates are products in the team.
#pragma once

#include <Kokkos_Core.hpp>
#include <rooftile/team_gemm.hpp>

namespace team_example {

template <class Exec>
struct Cholesky {
  static constexpr int n = 64, block = 16, pitch = n + 4;  // the pitch keeps rows in different banks
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Matrices = Kokkos::View<double* [n][n], Kokkos::LayoutRight, typename Exec::memory_space>;

  Matrices A;  ///< (matrices,64,64), symmetric and positive definite; L replaces the lower triangle
  static constexpr double flops = n * double(n) * n / 3, bytes = 2.0 * n * n * sizeof(double);  // of a matrix
  static constexpr int scratch_bytes = n * pitch * static_cast<int>(sizeof(double)) + 16;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int e = team.league_rank();
    double* const a = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(n * pitch * sizeof(double), 16));
    const auto S = rooftile::row_major(a, n, n, pitch);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * n), [&](int i) { S(i / n, i % n) = A(e, i / n, i % n); });
    team.team_barrier();
    for (int j = 0; j < n; j += block) {
      factor_diagonal(team, S, j);
      const int below = n - j - block;
      if (below == 0) break;
      solve_below(team, S, j);
      const auto L = S.block(j + block, j, below, block);
      const auto rest = S.block(j + block, j + block, below, below);
      rooftile::team_gemm(team, -1, L, L.transposed(), 1, rest, rooftile::TeamGemmOptions<0, 0, block>());
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * n), [&](int i) {
      if (i % n <= i / n) A(e, i / n, i % n) = S(i / n, i % n);
    });
  }

  /// Column by column; the rows below share the work of each.
  template <class Matrix>
  KOKKOS_FUNCTION static void factor_diagonal(const typename Policy::member_type& team, const Matrix& S, int j) {
    for (int c = j; c < j + block; ++c) {
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        double d = S(c, c);
        for (int k = j; k < c; ++k) d -= S(c, k) * S(c, k);
        S(c, c) = Kokkos::sqrt(d);
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, c + 1, j + block), [&](int i) {
        double x = S(i, c);
        for (int k = j; k < c; ++k) x -= S(i, k) * S(c, k);
        S(i, c) = x / S(c, c);
      });
      team.team_barrier();
    }
  }

  /// X·L₁₁ᵀ = A₂₁, a row of X by each thread.
  template <class Matrix>
  KOKKOS_FUNCTION static void solve_below(const typename Policy::member_type& team, const Matrix& S, int j) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, j + block, n), [&](int i) {
      for (int c = j; c < j + block; ++c) {
        double x = S(i, c);
        for (int k = j; k < c; ++k) x -= S(i, k) * S(c, k);
        S(i, c) = x / S(c, c);
      }
    });
    team.team_barrier();
  }

  void run(const Exec& exec) const {
    const int size = rooftile::team_gemm_team_size(exec, {n, n, block}, rooftile::Type::fp64);
    Kokkos::parallel_for("cholesky",
                         Policy(exec, static_cast<int>(A.extent(0)), size)
                             .set_scratch_size(0, Kokkos::PerTeam(scratch_bytes)),
                         *this);
  }
};

}  // namespace team_example
