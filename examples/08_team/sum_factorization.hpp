// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Sum factorization on hexahedral elements of order 7: v = (D ⊗ D ⊗ D)·u, three products with D (8,8) per
// team.
#pragma once

#include <Kokkos_Core.hpp>
#include <rooftile/config.hpp>
#include <rooftile/team_gemm.hpp>

namespace team_example {

template <class Exec>
struct SumFactorization {
  static constexpr int n = 8;  ///< nodes in each direction
  static constexpr int nodes = n * n * n;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Vectors = Kokkos::View<double* [nodes], Kokkos::LayoutRight, typename Exec::memory_space>;
  using Matrix = Kokkos::View<double[n][n], Kokkos::LayoutRight, typename Exec::memory_space>;

  Matrix D;      ///< (8,8)
  Vectors u, v;  ///< (elements,512)

  static constexpr double flops = 3 * 2.0 * n * nodes, bytes = 2.0 * nodes * sizeof(double);  // per element
  static constexpr int scratch_bytes = 2 * nodes * static_cast<int>(sizeof(double)) + 2 * 16;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int e = team.league_rank();
    const auto take = [&] {
      return static_cast<double*>(team.team_scratch(0).get_shmem_aligned(nodes * sizeof(double), 16));
    };
    double *const x = take(), *const y = take();
    // The plus sign converts the constant to a value, because nvcc cannot refer to the constant in device
    // code.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, +nodes), [&](int i) { x[i] = u(e, i); });
    team.team_barrier();
    // Each product contracts the first index of (8,8·8) and writes the result index last, as (8·8,8). The
    // transposition is only a different memory order of C. After three products all indices are in their
    // original order.
    rooftile::TeamGemmOptions<n, n * n, n> options;
    options.barrier_before = false;
    contract(team, x, y, options);
    contract(team, y, x, options);
    options.barrier_after = false;
    contract(team, x, &v(e, 0), options);
  }

  template <class Options>
  KOKKOS_FUNCTION void contract(const typename Policy::member_type& team, const double* from, double* to,
                                const Options& options) const {
    const auto X = rooftile::row_major(from, n, n * n);   // (8,64)
    const auto Y = rooftile::column_major(to, n, n * n);  // (8,64), stored as (64,8)
    rooftile::team_gemm(team, 1, D, X, 0, Y, options);
  }

  /// Small integers, so that the products are exact.
  static SumFactorization make(const Exec& exec, int elements) {
    SumFactorization x{Matrix("D"), Vectors("u", elements), Vectors("v", elements)};
    const Matrix D = x.D;
    const Vectors u = x.u;
    Kokkos::parallel_for(
        "D", Kokkos::RangePolicy<Exec>(exec, 0, n * n),
        KOKKOS_LAMBDA(int i) { D(i / n, i % n) = (i * 7 + i / n) % 5 - 2; });
    Kokkos::parallel_for(
        "u", Kokkos::RangePolicy<Exec>(exec, 0, elements), KOKKOS_LAMBDA(int e) {
          for (int i = 0; i < nodes; ++i) u(e, i) = (e + 3 * i) % 7 - 3;
        });
    return x;
  }

  /// Compares the first and the last element with a loop on the host. @return 0, or the largest difference
  double error() const {
    const auto d = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), D);
    double largest = 0;
    for (const int e : {0, static_cast<int>(u.extent(0)) - 1}) {
      const auto from =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(u, e, Kokkos::ALL));
      const auto to =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Kokkos::subview(v, e, Kokkos::ALL));
      for (int q = 0; q < nodes; ++q) {
        double sum = 0;
        for (int i = 0; i < nodes; ++i)
          sum += d(q / 64, i / 64) * d(q / 8 % 8, i / 8 % 8) * d(q % 8, i % 8) * from(i);
        largest = Kokkos::fmax(largest, Kokkos::fabs(sum - to(q)));
      }
    }
    return largest;
  }

  void run(const Exec& exec) const {
    const int size = rooftile::team_gemm_team_size(exec, {n, n * n, n}, rooftile::Type::fp64);
    Kokkos::parallel_for(
        "sum_factorization",
        Policy(exec, static_cast<int>(u.extent(0)), size).set_scratch_size(0, Kokkos::PerTeam(scratch_bytes)),
        *this);
  }
};

}  // namespace team_example
