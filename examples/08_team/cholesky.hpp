// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Batched Cholesky factorization A = L·Lᵀ of matrices (64,64). The trailing updates are products inside the
// team.
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>
#include <rooftile/team_gemm.hpp>

namespace team_example {

template <class Exec>
struct Cholesky {
  static constexpr int n = 64, block = 16, pitch = n + 4;  // the padding avoids bank conflicts between rows
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Matrices = Kokkos::View<double* [n][n], Kokkos::LayoutRight, typename Exec::memory_space>;

  /// On CPUs, scratch level 0 is too small.
  static constexpr int level = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace> ? 1 : 0;

  Matrices A;  ///< (matrices,64,64), symmetric and positive definite; L replaces the lower triangle
  static constexpr double flops = n * double(n) * n / 3, bytes = 2.0 * n * n * sizeof(double);  // per matrix
  static constexpr int scratch_bytes = n * pitch * static_cast<int>(sizeof(double)) + 16;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int e = team.league_rank();
    // The plus sign converts the constant to a value, because nvcc cannot refer to the constant in device
    // code.
    double* const a =
        static_cast<double*>(team.team_scratch(+level).get_shmem_aligned(n * pitch * sizeof(double), 16));
    const auto S = rooftile::row_major(a, n, n, pitch);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * n),
                         [&](int i) { S(i / n, i % n) = A(e, i / n, i % n); });
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

  /// Factors the diagonal block column by column. The team divides the rows of each column.
  template <class Matrix>
  KOKKOS_FUNCTION static void factor_diagonal(const typename Policy::member_type& team, const Matrix& S,
                                              int j) {
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

  /// Solves X·L₁₁ᵀ = A₂₁. Each thread computes rows of X.
  template <class Matrix>
  KOKKOS_FUNCTION static void solve_below(const typename Policy::member_type& team, const Matrix& S, int j) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, j + block, +n), [&](int i) {
      for (int c = j; c < j + block; ++c) {
        double x = S(i, c);
        for (int k = j; k < c; ++k) x -= S(i, k) * S(c, k);
        S(i, c) = x / S(c, c);
      }
    });
    team.team_barrier();
  }

  static KOKKOS_FUNCTION double entry(int e, int i, int j) {
    return i == j ? 2.0 * n : ((i + j + e) % 5 - 2) / 2.0;
  }

  static Cholesky make(const Exec& exec, int matrices) {
    Cholesky x{Matrices("A", matrices)};
    x.fill(exec);
    return x;
  }
  /// Fills A. Required before each run, which overwrites A.
  void fill(const Exec& exec) const {
    const Matrices to = A;
    Kokkos::parallel_for(
        "A", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(A.extent(0)) * n), KOKKOS_LAMBDA(int row) {
          for (int j = 0; j < n; ++j) to(row / n, row % n, j) = entry(row / n, row % n, j);
        });
  }

  /// @return the largest |L·Lᵀ − A| of the first and the last matrix, relative to the rounding error bound of
  /// n steps
  double error() const {
    double largest = 0;
    for (const int e : {0, static_cast<int>(A.extent(0)) - 1}) {
      const auto L = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                         Kokkos::subview(A, e, Kokkos::ALL, Kokkos::ALL));
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
          double sum = 0;
          for (int k = 0; k <= j; ++k) sum += L(i, k) * L(j, k);
          largest = Kokkos::fmax(largest, Kokkos::fabs(sum - entry(e, i, j)));
        }
      }
    }
    return largest / (n * 0x1p-53 * 2 * n);
  }

  void run(const Exec& exec) const {
    const int size = rooftile::team_gemm_team_size(exec, {n, n, block}, rooftile::Type::fp64);
    Kokkos::parallel_for("cholesky",
                         Policy(exec, static_cast<int>(A.extent(0)), size)
                             .set_scratch_size(level, Kokkos::PerTeam(scratch_bytes)),
                         *this);
  }
};

}  // namespace team_example
