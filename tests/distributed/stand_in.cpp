// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Stands in for ScaLAPACK in `bench --ranks`: every process gets all of A and B. With ROOFTILE_TEST_WRONG
// set, the last process adds 1 to its last element of C.
#include <cstdlib>
#include <vector>

#include <mpi.h>

#include "rooftile/complex.hpp"
#include "rooftile/distributed/layout.hpp"

namespace {

using rooftile::Index;
using rooftile::distributed::Grid;
using rooftile::distributed::Layout;

Grid grid;

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

Layout layout_of(const int* d) {
  return rooftile::distributed::block_cyclic(d[2], d[3], d[4], d[5]);
}

/// Calls f(i, j, local index) for each element that a process holds.
template <class F>
void for_each_held(const Layout& layout, int rank, const F& f) {
  const auto& [rows, cols] = layout;
  const int row = rank / grid.cols, col = rank % grid.cols;
  const Index held = rows.held(grid.rows, row);
  for (Index j = 0; j < cols.extent; ++j) {
    if (cols.owner(cols.block_of(j), grid.cols) != col) continue;
    for (Index i = 0; i < rows.extent; ++i) {
      if (rows.owner(rows.block_of(i), grid.rows) == row)
        f(i, j, rows.before(i, grid.rows, row) + held * cols.before(j, grid.cols, col));
    }
  }
}

/// The whole matrix, column-major.
template <class T>
std::vector<T> whole(MPI_Comm communicator, const T* own, const int* descriptor) {
  const Layout layout = layout_of(descriptor);
  std::vector<T> all(static_cast<std::size_t>(layout.rows.extent * layout.cols.extent)), part;
  for (int rank = 0; rank < grid.size(); ++rank) {
    part.clear();
    for_each_held(layout, rank,
                  [&](Index, Index, Index at) { part.push_back(rank == own_rank() ? own[at] : T()); });
    MPI_Bcast(part.data(), static_cast<int>(part.size() * sizeof(T)), MPI_BYTE, rank, communicator);
    std::size_t next = 0;
    for_each_held(layout, rank, [&](Index i, Index j, Index) {
      all[static_cast<std::size_t>(i + j * layout.rows.extent)] = part[next++];
    });
  }
  return all;
}

template <class T>
void multiply(int m, int k, T alpha, const T* a, const int* of_a, const T* b, const int* of_b, T beta, T* c,
              const int* of_c) {
  MPI_Comm in_grid = MPI_COMM_NULL;
  MPI_Group all{}, group{};
  int range[1][3] = {{0, grid.size() - 1, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, range, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &in_grid);
  MPI_Group_free(&group), MPI_Group_free(&all);
  const std::vector<T> A = whole(in_grid, a, of_a), B = whole(in_grid, b, of_b);
  MPI_Comm_free(&in_grid);
  T* last = nullptr;
  for_each_held(layout_of(of_c), own_rank(), [&](Index i, Index j, Index at) {
    T sum(0);
    for (Index l = 0; l < k; ++l)
      sum += A[static_cast<std::size_t>(i + l * m)] * B[static_cast<std::size_t>(l + j * k)];
    last = c + at;
    *last = beta == T(0) ? alpha * sum : alpha * sum + beta * *last;
  });
  if (std::getenv("ROOFTILE_TEST_WRONG") != nullptr && own_rank() == grid.size() - 1 && last != nullptr)
    *last += T(1);
}

}  // namespace

#define SHOWN extern "C" [[gnu::visibility("default")]] void

SHOWN Cblacs_get(int, int, int* value) {
  *value = 0;
}
SHOWN Cblacs_gridinit(int* context, const char*, int rows, int cols) {
  grid = {rows, cols};
  *context = own_rank() < grid.size() ? 0 : -1;
}
SHOWN Cblacs_gridexit(int) {}

#define PGEMM(name, T)                                                                                     \
  SHOWN name(const char*, const char*, const int* m, const int*, const int* k, const T* alpha, const T* a, \
             const int*, const int*, const int* of_a, const T* b, const int*, const int*, const int* of_b, \
             const T* beta, T* c, const int*, const int*, const int* of_c) {                               \
    multiply<T>(*m, *k, *alpha, a, of_a, b, of_b, *beta, c, of_c);                                         \
  }
PGEMM(psgemm_, float)
PGEMM(pdgemm_, double)
PGEMM(pcgemm_, rooftile::complex<float>)
PGEMM(pzgemm_, rooftile::complex<double>)
