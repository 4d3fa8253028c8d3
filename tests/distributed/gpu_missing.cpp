// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun --enable-recovery: rank 0 is killed during a product on GPUs. Each other rank must report
// that.
#include <chrono>
#include <csignal>
#include <string>

#include <unistd.h>

#include "rooftile/error.hpp"
#include "tests/distributed/gpu_case.hpp"

namespace {

using namespace rooftile;
using namespace rooftile::distributed;

constexpr double timeout = 4;

/// Multiplies until an error occurs.
/// @return the error's text
std::string products_until_error(CudaContext& context, int processes) {
  constexpr Index n = 1024;
  const Layout layout = block_cyclic(n, n, 64, 64);
  const Index cols = layout.cols.held(processes, context.processes().rank());
  const std::vector<double> ones(static_cast<std::size_t>(n * cols), 1);
  test::OnGpu<double> a(ones), b(ones), c(ones);
  a.from(ones), b.from(ones), c.from(ones);
  const auto shared = [&](const test::OnGpu<double>& x) {
    return DistributedMatrix<double>(layout, column_major(x.data(), n, cols, n));
  };
  try {
    for (;;) gemm(context, nullptr, 1.0, shared(a), shared(b), 1.0, shared(c));
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

/// gpu_missing ENGINE
int main(int argc, char** argv) {
  int provided = 0, rank = 0, processes = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const std::string_view engine = argv[1];
  if (!test::take_gpu(rank, engine == "nccl" ? processes : 1)) {
    MPI_Finalize();
    return 0;
  }
  const ContextOptions options{.grid = {1, processes}, .products = {.depth = 128}, .timeout = timeout};
  {
    CudaContext context(MPI_COMM_WORLD, options, {.engine = test::engine_named(engine)});
    if (rank == 0) {
      std::signal(SIGALRM, [](int) { std::raise(SIGKILL); });
      alarm(2);
    }
    const std::string text = products_until_error(context, processes);
    const std::string again = products_until_error(context, processes);
    const std::string name = "rank 0 of " + std::to_string(processes) + " is missing (no answer within ";
    const bool well = text.find(name) != std::string::npos && again == text;
    std::printf("rank %d is %s: %s\n", rank, well ? "right" : "wrong", text.c_str());
    std::fflush(stdout);
  }
  _exit(0);  // MPI_Finalize would wait for the missing process
}
