// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// One product with operands of different layouts, one of them transposed, and a C inside a larger field. It
// runs on the code's own execution space instance.
#include <iostream>
#include <utility>

#include <Kokkos_Core.hpp>
#include <rooftile/gemm.hpp>

using Exec = rooftile::DefaultExecutionSpace;  // or any other execution space of Kokkos
template <class Layout>
using Matrix = Kokkos::View<double**, Layout, Exec::memory_space>;
using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;

int main(int argc, char** argv) try {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;  // a queue; the library uses only this one
  const int m = 300, n = 200, k = 100, halo = 8;

  Matrix<Kokkos::LayoutRight> A("A", m, k);                                // (M,K)
  Matrix<Kokkos::LayoutLeft> Bt("Bt", n, k);                               // (N,K), the transpose of B
  Matrix<Kokkos::LayoutRight> field("field", m + 2 * halo, n + 2 * halo);  // C and a halo around it
  const auto C = Kokkos::subview(field, std::pair(halo, halo + m), std::pair(halo, halo + n));  // (M,N)
  Kokkos::parallel_for(
      "fill A", Range(exec, {0, 0}, {m, k}), KOKKOS_LAMBDA(int i, int l) { A(i, l) = i + l; });
  Kokkos::parallel_for(
      "fill Bt", Range(exec, {0, 0}, {n, k}), KOKKOS_LAMBDA(int j, int l) { Bt(j, l) = l - j; });
  Kokkos::deep_copy(exec, field, 1.0);

  const rooftile::Choice choice = rooftile::explain<double>(exec, {m, n, k});
  std::cout << Exec::name() << " runs " << rooftile::rung_of(choice.kernel).name << ", tile "
            << to_string(choice.tile) << ": " << choice.why << '\n';

  // C = 2 A B - C. No fence: later work on `exec` waits for the product, the host does not.
  rooftile::gemm(exec, 2.0, A, rooftile::matrix_ref(Bt).transposed(), -1.0, C);

  // All values are integers, so that the sums over l of (i+l)(l-j) are exact.
  int wrong = 0;
  const double sum_l = 0.5 * k * (k - 1), sum_l2 = k * (k - 1) * (2 * k - 1) / 6.0;
  Kokkos::parallel_reduce(
      "check", Range(exec, {0, 0}, {m + 2 * halo, n + 2 * halo}),
      KOKKOS_LAMBDA(int row, int col, int& count) {
        const int i = row - halo, j = col - halo;
        const bool inside = i >= 0 && i < m && j >= 0 && j < n;
        const double product = sum_l2 + (i - j) * sum_l - 1.0 * k * i * j;
        count += field(row, col) != (inside ? 2 * product - 1 : 1.0);
      },
      wrong);
  std::cout << wrong << " of " << field.size() << " elements wrong\n";
  return wrong == 0 ? 0 : 1;
} catch (const rooftile::Error& error) {  // invalid arguments: thrown before anything is written
  std::cerr << error.what() << '\n';
  return 2;
}
