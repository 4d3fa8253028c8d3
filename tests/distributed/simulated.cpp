// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by SimGrid's smpirun through scripts/simulate: compares the time of a product on a simulated
// cluster with the model. Exits with 1 if C is wrong on any process.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <smpi/smpi.h>

#include "distributed/mpi/local_product.hpp"
#include "rooftile/distributed/gemm.hpp"

/// Replaces MPI_Test in the engine: each test in a waiting loop would be a separate event to simulate.
extern "C" int test_by_waiting(MPI_Request* request, int* done, MPI_Status* status) {
  *done = 1;
  return MPI_Wait(request, status);
}
/// SimGrid 3.32 lacks this function.
extern "C" int MPI_Comm_idup(MPI_Comm communicator, MPI_Comm* made, MPI_Request* request) {
  MPI_Comm_dup(communicator, made);
  return MPI_Ibarrier(*made, request);
}

namespace rooftile::distributed {

/// Replaces the kernels, whose threads and time are not those of the simulated processes.
template <class T>
void multiply_here(const GemmArgs<T>& args) {
  smpi_execute_flops(args.shape().flops());
  for (Index j = 0; j < args.C.cols; ++j) {
    for (Index i = 0; i < args.C.rows; ++i) {
      T sum(0);
      for (Index l = 0; l < args.A.cols; ++l) sum += args.A(i, l) * args.B(l, j);
      T& c = args.C(i, j);
      c = args.beta == T(0) ? args.alpha * sum : args.alpha * sum + args.beta * c;
    }
  }
}
template void multiply_here(const GemmArgs<float>&);
template void multiply_here(const GemmArgs<double>&);
template void multiply_here(const GemmArgs<complex<float>>&);
template void multiply_here(const GemmArgs<complex<double>>&);

namespace {

constexpr Index depth = 64, block = 8;

/// A matrix of ones.
DistributedMatrix<double> ones(const Context& context, Index rows, Index cols, std::vector<double>& memory) {
  const Layout layout = block_cyclic(rows, cols, block, block);
  const Index held_rows = layout.rows.held(context.grid().rows, context.row()),
              held_cols = layout.cols.held(context.grid().cols, context.col());
  memory.assign(static_cast<std::size_t>(held_rows * held_cols), 1);
  return {layout, column_major(memory.data(), held_rows, held_cols)};
}

/// @param process  of the simulated cluster
/// @return whether C is right on all processes
bool simulate(const Grid& grid, int layers, const GemmShape& size, const model::Process& process) {
  // No timeout: it would count the real seconds of the simulation.
  Context context(
      MPI_COMM_WORLD,
      {.grid = grid, .products = {.depth = depth, .layers = layers, .process = process}, .timeout = 0});
  std::vector<double> a, b, c;
  const auto A = ones(context, size.m, size.k, a), B = ones(context, size.k, size.n, b),
             C = ones(context, size.m, size.n, c);
  const auto seconds_of = [&](double alpha) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    gemm(context, alpha, A, B, 0.0, C);
    return MPI_Wtime() - start;
  };
  // alpha = 0 times the agreement of the processes, which the model does not include.
  const double agreement = seconds_of(0), here = seconds_of(1) - agreement;
  double seconds = 0;
  MPI_Reduce(&here, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const auto expected = static_cast<double>(size.k);
  int right = std::all_of(c.begin(), c.end(), [&](double x) { return x == expected; }) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (context.rank() == 0) {
    const Plan plan = explain(grid, DistributedMatrix<const double>(A), DistributedMatrix<const double>(B), C,
                              context.options().products);
    const auto cost = model::shared_cost(
        {.m = size.m, .n = size.n, .k = size.k, .depth = depth, .senders = grid.rows + grid.cols - 1},
        process, plan.layer_grid.rows, plan.layer_grid.cols, grid.size(), plan.layers);
    std::printf("| %d | %s | %dx%dx%d | %.4g | %.4g | %.2f |\n", grid.size(), to_string(size).c_str(),
                plan.layer_grid.rows, plan.layer_grid.cols, plan.layers, 1e3 * seconds, 1e3 * cost.seconds,
                seconds / cost.seconds);
  }
  return right != 0;
}

}  // namespace

}  // namespace rooftile::distributed

/// simulated ROWS COLS LAYERS M N K GFLOPS GB/S MICROSECONDS
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto number = [&](int i) { return std::atoi(argv[i]); };
  const bool right =
      rooftile::distributed::simulate({number(1), number(2)}, number(3), {number(4), number(5), number(6)},
                                      {std::atof(argv[7]), std::atof(argv[8]), std::atof(argv[9])});
  if (!right) std::printf("wrong\n");
  MPI_Finalize();
  return right ? 0 : 1;
}
