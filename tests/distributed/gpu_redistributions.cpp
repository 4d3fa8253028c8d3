// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: random matrices in memory of GPUs brought into random layouts. Ends with 1, and the
// seed, where an element is wrong on some process.
#include "rooftile/error.hpp"
#include "tests/distributed/gpu_case.hpp"
#include "tests/distributed/mpi_process.hpp"

namespace rooftile::distributed::test {

namespace {

/// How many elements of this process are wrong.
template <class T>
int wrong_elements(CudaContext& on_gpus, Draw& draw, std::string_view fault) {
  Context& context = on_gpus.processes();
  const auto extent = [&] { return draw(0, 9) == 0 ? draw(0, 1) : draw(1, 60); };
  const Index m = extent(), n = extent();
  Shared<T> A(context, draw, 0, m, n), B(context, draw, 1, m, n);
  const std::vector<T> read = A.memory(), before = B.memory();
  OnGpu<T> a(A.memory()), b(B.memory());
  if (draw.coin()) on_gpus.release_workspace();
  a.from(A.memory()), b.from(B.memory());
  redistribute<T>(on_gpus, nullptr, there(A, a), there(B, b));
  a.to(A.memory());
  if (!(fault == "rank" && context.rank() == 0)) b.to(B.memory());
  if (fault == "outside" && context.rank() == 0) B.memory().back() = T(1);
  return wrong_of_move(context, A, B, read, before);
}

/// Matrices of random types on a random grid of at most all processes. @return wrong elements of all
int run(unsigned seed, int processes, CudaEngine engine, std::string_view fault) {
  constexpr int matrices = 10;
  Draw draw(seed);
  ContextOptions options = random_options(draw, processes, 2500);
  options.timeout = 100;  // on a machine that others use, too
  CudaContext context(MPI_COMM_WORLD, options, {.engine = engine});
  int wrong = 0;
  for (int i = 0; i < matrices; ++i) {
    with_random_gpu_type(draw, [&]<class T>(T) { wrong += wrong_elements<T>(context, draw, fault); });
  }
  return wrong_of_all(wrong, seed, context.processes());
}

}  // namespace

}  // namespace rooftile::distributed::test

/// gpu_redistributions ENGINE COUNT [SEED [FAULT]]: ten matrices for each seed; with one of the faults `rank`
/// and `outside` it must find something wrong.
int main(int argc, char** argv) {
  using namespace rooftile::distributed;
  const test::MpiProcess mpi(argc, argv);
  return test::run_seeds(argc, argv, "matrices", test::run);
}
