// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A product with a fused epilogue, in one pass over C: the layer max(0, A·B + ½·D + b).
#include <iostream>

#include <Kokkos_Core.hpp>
#include <rooftile/fused.hpp>

using Exec = rooftile::DefaultExecutionSpace;  // or any other execution space of Kokkos
using Matrix = Kokkos::View<float**, Exec::memory_space>;

int main(int argc, char** argv) try {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int m = 300, n = 200, k = 100;
  const Matrix A("A", m, k), B("B", k, n), C("C", m, n), D("D", m, n);
  const Kokkos::View<float*, Exec::memory_space> b("b", n);
  Kokkos::deep_copy(exec, A, 1.0F);
  Kokkos::deep_copy(exec, B, -1.0F);
  Kokkos::deep_copy(exec, D, 20.0F);
  Kokkos::parallel_for(
      "fill b", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int j) { b(j) = static_cast<float>(j); });

  using namespace rooftile::epilogue;
  const auto positive = KOKKOS_LAMBDA(rooftile::Index, rooftile::Index, float value) {
    return value > 0 ? value : 0.0F;
  };
  rooftile::gemm_fused(exec, 1, A, B, 0, C, chain(plus(0.5F, D), col_bias(b), positive));

  int wrong = 0;
  Kokkos::parallel_reduce(
      "check", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {m, n}),
      KOKKOS_LAMBDA(int i, int j, int& count) {
        count += C(i, j) != (j > 90 ? static_cast<float>(j - 90) : 0.0F);
      },
      wrong);
  std::cout << wrong << " of " << C.size() << " elements wrong\n";
  return wrong == 0 ? 0 : 1;
} catch (const rooftile::Error& error) {  // thrown before anything is written
  std::cerr << error.what() << '\n';
  return 2;
}
