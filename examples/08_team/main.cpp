// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Products inside the teams of three kernels: sum factorization, batched Cholesky factorization and
// block-Jacobi.
#include <iostream>

#include <Kokkos_Core.hpp>

#include "block_jacobi.hpp"
#include "cholesky.hpp"
#include "sum_factorization.hpp"

using Exec = rooftile::DefaultExecutionSpace;  // or any other execution space of Kokkos

template <class Kernel>
bool is_right(const Exec& exec, const char* name, int count, double bound) {
  const Kernel kernel = Kernel::make(exec, count);
  kernel.run(exec);
  exec.fence();
  const double error = kernel.error();
  std::cout << name << ": error " << error << " of at most " << bound << '\n';
  return error <= bound;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  bool right = is_right<team_example::SumFactorization<Exec>>(exec, "sum factorisation", 300, 0);
  right &= is_right<team_example::Cholesky<Exec>>(exec, "Cholesky", 100, 1);
  right &= is_right<team_example::BlockJacobi<Exec>>(exec, "block-Jacobi", 200, 0);
  return right ? 0 : 1;
}
