// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: a fault of one process ends the call on all processes with one message, and C is
// unchanged.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "rooftile/distributed/gemm.hpp"
#include "rooftile/distributed/redistribute.hpp"
#include "rooftile/model/distributed.hpp"
#include "tests/distributed/mpi_process.hpp"
#include "tests/support/refused.hpp"

namespace {

using namespace rooftile;
using namespace rooftile::distributed;
using rooftile::testing::refused;

/// The number of faults that were reported incorrectly.
/// @pre three processes
int failures() {
  int wrong = 0;
  Context context(MPI_COMM_WORLD, {.grid = {1, 3}});
  const int rank = context.rank();
  const Layout layout = block_cyclic(12, 12, 2, 2);
  std::vector<double> a(48, 1), b(48, 1), c(48, 7);
  const auto shared = [&](std::vector<double>& x, Index rows = 12) {
    return DistributedMatrix<double>(layout, column_major(x.data(), rows, Index{4}, Index{12}));
  };
  const auto expect = [&](const char* what, const std::string& part, const std::string& text) {
    const bool untouched = std::all_of(c.begin(), c.end(), [](double x) { return x == 7; });
    if (text.find(part) != std::string::npos && untouched) return;
    std::printf("rank %d, %s: '%s', C %s\n", rank, what, text.c_str(), untouched ? "untouched" : "written");
    ++wrong;
  };
  expect("local part", "rank 1 of 3: local part of A does not match its layout (11 x 4",
         refused([&] { gemm(context, 1.0, shared(a, rank == 1 ? 11 : 12), shared(b), 0.0, shared(c)); }));
  expect("no memory", "rank 2 of 3: null data of B (12 x 4): allocate", refused([&] {
           auto B = shared(b);
           if (rank == 2) B.local.data = nullptr;
           gemm(context, 1.0, shared(a), B, 0.0, shared(c));
         }));
  expect("alpha", "arguments differ between processes (rank 2 of 3",
         refused([&] { gemm(context, rank == 2 ? 2.0 : 1.0, shared(a), shared(b), 0.0, shared(c)); }));
  expect("shapes", "rank 0 of 3: shapes do not conform (A 12 x 11",
         refused([&] { gemm(context, 1.0, shared(a).block(0, 0, 12, 11), shared(b), 0.0, shared(c)); }));
  expect("outside", "rank 0 of 3: block outside C",
         refused([&] { gemm(context, 1.0, shared(a), shared(b), 0.0, shared(c).block(1, 0, 12, 12)); }));
  expect("overlap", "rank 0 of 3: C overlaps B",
         refused([&] { gemm(context, 1.0, shared(a), shared(c), 0.0, shared(c)); }));
  expect("grid", "grid does not fit the communicator's processes (2 x 2 of 3)", refused([] {
           Context(MPI_COMM_WORLD, {.grid = {2, 2}});
         }));
  expect("timeout", "invalid timeout (-1 s)", refused([] { Context(MPI_COMM_WORLD, {.timeout = -1}); }));
  Context small(MPI_COMM_WORLD, {.grid = {1, 3}, .products = {.workspace = 100}});
  expect("workspace", "rank 0 of 3: too little workspace for a distributed product (100 of ",
         refused([&] { gemm(small, 1.0, shared(a), shared(b), 0.0, shared(c)); }));
  Context layered(MPI_COMM_WORLD, {.grid = {1, 3}, .products = {.workspace = 100, .layers = 3}});
  expect("layers' workspace", "bytes): allow more, or take more processes or fewer layers",
         refused([&] { gemm(layered, 1.0, shared(a), shared(b), 0.0, shared(c)); }));
  Context many(MPI_COMM_WORLD, {.grid = {1, 3}, .products = {.layers = 4}});
  expect("layers", "rank 0 of 3: invalid number of layers (4 of 3 processes)",
         refused([&] { gemm(many, 1.0, shared(a), shared(b), 0.0, shared(c)); }));
  expect("move's shapes", "rank 0 of 3: shapes differ (A 12 x 11, B 12 x 12)",
         refused([&] { redistribute(context, shared(a).block(0, 0, 12, 11), shared(c)); }));
  expect("move onto itself", "rank 0 of 3: B overlaps A",
         refused([&] { redistribute(context, shared(c).transposed(), shared(c)); }));
  expect("move's layout", "arguments differ between processes (rank 2 of 3", refused([&] {
           redistribute(context, shared(a).block(0, 0, 11, rank == 2 ? 10 : 11),
                        shared(c).block(0, 0, 11, rank == 2 ? 10 : 11));
         }));
  expect("move's workspace", "rank 0 of 3: too little workspace to redistribute a matrix (100 of 320 bytes)",
         refused([&] { redistribute(small, shared(a), shared(c)); }));
  // 12x12x12 in one panel: each process sends its 12 x 4 of A to two others. B is not sent, because its
  // layout matches C's.
  const Plan plan = explain(context.grid(), DistributedMatrix<const double>(shared(a)),
                            DistributedMatrix<const double>(shared(b)), shared(c));
  if (to_string(plan) !=
      "12x12x12 fp64 on 1x3 processes: 1 panels of 12 along K, 4288 bytes of workspace, 2304 bytes moved") {
    std::printf("rank %d, explain: %s\n", rank, to_string(plan).c_str());
    ++wrong;
  }
  // For evenly divided blocks, the model and `explain` agree on the bytes moved.
  for (const Grid grid : {Grid{1, 3}, Grid{2, 2}, Grid{3, 4}, Grid{1, 1}}) {
    const Layout even = block_cyclic(48, 48, 4, 4);
    const DistributedMatrix<double> X(even, {});
    const double moved =
        explain(grid, DistributedMatrix<const double>(X), DistributedMatrix<const double>(X), X).bytes_moved;
    const auto cost = model::shared_cost({.m = 48, .n = 48, .k = 48}, {1, 1, 1}, grid.rows, grid.cols, 12);
    wrong += moved == cost.bytes * grid.size() ? 0 : 1;
  }
  // The next product is right.
  gemm(context, 1.0, shared(a), shared(b), 1.0, shared(c));
  wrong += std::all_of(c.begin(), c.end(), [](double x) { return x == 19; }) ? 0 : 1;
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const test::MpiProcess mpi(argc, argv);
  int wrong = failures();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return wrong > 0 ? 1 : 0;
}
