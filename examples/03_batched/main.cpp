// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Batched products for the elements of a mesh: with one small operator for all elements, with one operator
// per element, and with one of two operators that a pointer selects.
#include <iostream>

#include <Kokkos_Core.hpp>
#include <rooftile/gemm.hpp>

using Exec = rooftile::DefaultExecutionSpace;  // or any other execution space of Kokkos
template <class Data>
using View = Kokkos::View<Data, Kokkos::LayoutRight, Exec::memory_space>;
using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>;

int main(int argc, char** argv) try {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int elements = 500, nodes = 10, quadrature = 12, fields = 3;

  View<double**> D("derivative", quadrature, nodes);                // (M,K), shared by all elements
  View<double***> u("unknowns", elements, nodes, fields);           // (count,K,N)
  View<double***> du("derivatives", elements, quadrature, fields);  // (count,M,N)
  View<double***> J("metric", elements, fields, fields);            // (count,N,N)
  View<double***> flux("fluxes", elements, quadrature, fields);     // (count,M,N)
  Kokkos::deep_copy(exec, D, 1.0);
  Kokkos::parallel_for(
      "fill u", Range(exec, {0, 0, 0}, {elements, nodes, fields}),
      KOKKOS_LAMBDA(int e, int i, int f) { u(e, i, f) = e + f; });
  Kokkos::parallel_for(
      "fill J", Range(exec, {0, 0, 0}, {elements, fields, fields}),
      KOKKOS_LAMBDA(int e, int f, int g) { J(e, f, g) = f == g ? e : 0; });

  // du_e = D u_e, with D shared by all products, and flux_e = 2 du_e J_eᵀ.
  rooftile::gemm_strided_batched(exec, 1.0, D, u, 0.0, du);
  rooftile::gemm_strided_batched(exec, 2.0, du, rooftile::batch_ref(J).transposed(), 0.0, flux);

  int wrong = 0;
  Kokkos::parallel_reduce(
      "check", Range(exec, {0, 0, 0}, {elements, quadrature, fields}),
      KOKKOS_LAMBDA(int e, int q, int f, int& count) { count += flux(e, q, f) != 2.0 * nodes * (e + f) * e; },
      wrong);

  // du_e = D_e u_e, where a pointer selects one of two operators as D_e. The pointers are not in a View,
  // because a View type would count the asterisk of the pointer as a dimension.
  View<double**> E("other derivative", quadrature, nodes);
  Kokkos::deep_copy(exec, E, 3.0);
  using Memory = Exec::memory_space;
  auto* const which =
      static_cast<const double**>(Kokkos::kokkos_malloc<Memory>(elements * sizeof(const double*)));
  Kokkos::parallel_for(
      "choose", Kokkos::RangePolicy<Exec>(exec, 0, elements),
      KOKKOS_LAMBDA(int e) { which[e] = e % 2 == 0 ? D.data() : E.data(); });
  rooftile::gemm_batched(exec, 1.0, rooftile::pointer_batch(which, rooftile::matrix_ref(D), elements), u, 0.0,
                         du);
  int wrong_by_pointers = 0;
  Kokkos::parallel_reduce(
      "check again", Range(exec, {0, 0, 0}, {elements, quadrature, fields}),
      KOKKOS_LAMBDA(int e, int q, int f, int& count) {
        count += du(e, q, f) != (e % 2 == 0 ? 1.0 : 3.0) * nodes * (e + f);
      },
      wrong_by_pointers);
  Kokkos::kokkos_free<Memory>(which);
  wrong += wrong_by_pointers;

  std::cout << wrong << " of " << flux.size() + du.size() << " elements wrong\n";
  return wrong == 0 ? 0 : 1;
} catch (const rooftile::Error& error) {  // thrown before anything is written
  std::cerr << error.what() << '\n';
  return 2;
}
