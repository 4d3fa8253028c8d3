// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "rooftile/distributed/cuda.hpp"

namespace rd = rooftile::distributed;

/// Without arguments, explains a distributed product, which needs no GPU. With arguments, computes a product.
int main(int argc, char** argv) {
  const rd::DistributedMatrix<double> X(rd::block_cyclic(4096, 4096, 256, 256), {});
  std::puts(to_string(rd::explain_cuda<double>({1, 2}, X, X, X)).c_str());
  if (argc == 1) return 0;
  MPI_Init(&argc, &argv);
  {
    rd::CudaContext context(MPI_COMM_WORLD);
    rd::gemm<double>(context, nullptr, 1.0, X, X, 0.0, X);
  }
  MPI_Finalize();
}
