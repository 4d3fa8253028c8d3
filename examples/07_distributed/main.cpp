// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Cholesky factorization A = L·Lᵀ on all processes of mpirun. One process factors block columns; all
// processes update the trailing matrix.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <rooftile/distributed/gemm.hpp>
#include <rooftile/distributed/redistribute.hpp>
#include <rooftile/error.hpp>

namespace rd = rooftile::distributed;

/// A zero matrix in blocks: the local elements, column-major, and their layout.
struct Matrix {
  std::vector<double> memory;
  rd::DistributedMatrix<double> all;

  Matrix(const rd::Context& at, int m, int n, int mb, int nb) : all(rd::block_cyclic(m, n, mb, nb), {}) {
    if (!at.in_grid()) return;
    const rooftile::Index rows = all.layout.rows.held(at.grid().rows, at.row());
    const rooftile::Index cols = all.layout.cols.held(at.grid().cols, at.col());
    memory.resize(rows * cols);
    all.local = rooftile::column_major(memory.data(), rows, cols);
  }
  double& operator()(int i, int j) { return all.local(i, j); }  // a local element
};

/// Cholesky factorization of the columns of an (m,n) matrix on one process, m ≥ n.
void factor(Matrix& X, int m, int n) {
  for (int j = 0; j < n; ++j) {
    const double root = std::sqrt(X(j, j));
    for (int i = 0; i < m; ++i) X(i, j) = i < j ? 0 : X(i, j) / root;
    for (int l = j + 1; l < n; ++l) {
      for (int i = l; i < m; ++i) X(i, l) -= X(i, j) * X(l, j);
    }
  }
}

/// @return the largest element of A - L·Lᵀ
double largest_difference(int n, int block) {
  rd::Context context(MPI_COMM_WORLD);  // the grid is as square as possible
  const bool first = context.rank() == 0;
  Matrix whole(context, n, n, n, n), A(context, n, n, block, block), L(context, n, n, block, block);
  for (int j = 0; first && j < n; ++j) {
    for (int i = 0; i < n; ++i) whole(i, j) = (i == j ? n : 0) + 1.0 / (1 + std::abs(i - j));
  }
  rd::redistribute(context, whole.all, A.all);
  for (int k = 0; k < n; k += block) {
    const int b = std::min(block, n - k), m = n - k, rest = m - b;
    Matrix columns(context, m, b, m, b);  // all on the first process
    rd::redistribute(context, A.all.block(k, k, m, b), columns.all);
    if (first) factor(columns, m, b);
    rd::redistribute(context, columns.all, L.all.block(k, k, m, b));
    const auto below = L.all.block(k + b, k, rest, b);
    rd::gemm(context, -1.0, below, below.transposed(), 1.0, A.all.block(k + b, k + b, rest, rest));
  }
  rd::redistribute(context, whole.all, A.all);
  rd::gemm(context, -1.0, L.all, L.all.transposed(), 1.0, A.all);
  double largest = 0;
  for (const double x : A.memory) largest = std::max(largest, std::abs(x));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const double largest = largest_difference(500, 64);
    wrong = largest < 1e-10 ? 0 : 1;  // elements are at most 501
    if (rank == 0) std::cout << "|A - L·Lᵀ| = " << largest << '\n';
  } catch (const rooftile::Error& error) {  // thrown on all processes
    if (rank == 0) std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return wrong;
}
