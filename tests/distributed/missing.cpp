// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun --enable-recovery: rank 0 fails in the named way. Each other rank must get an error.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include "distributed/mpi/watchdog.hpp"
#include "rooftile/distributed/gemm.hpp"
#include "rooftile/error.hpp"
#include "tests/support/refused.hpp"

namespace {

bool no_memory = false;  ///< makes every allocation of this process fail

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = no_memory ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using namespace rooftile;
using namespace rooftile::distributed;
using rooftile::testing::refused;
using Clock = std::chrono::steady_clock;

constexpr double timeout = 2;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// 12 x 12 in blocks of 2, distributed over three process columns.
struct Matrix {
  std::vector<double> memory = std::vector<double>(48, 1);
  DistributedMatrix<double> shared() {
    return {block_cyclic(12, 12, 2, 2), column_major(memory.data(), Index{12}, Index{4}, Index{12})};
  }
  bool is(double value) const {
    return std::all_of(memory.begin(), memory.end(), [&](double x) { return x == value; });
  }
};

/// Rank 0's behaviour instead of a normal product.
void go_missing(std::string_view how, Context& context, Matrix& A, Matrix& B, Matrix& C) {
  if (how == "killed") std::raise(SIGKILL);
  if (how == "throws") throw std::runtime_error("the caller's own error");
  if (how == "killed_inside") {  // by a signal during its products
    std::signal(SIGALRM, [](int) { std::raise(SIGKILL); });
    ualarm(200000, 0);
    for (;;) gemm(context, 1.0, A.shared(), B.shared(), 1.0, C.shared());
  }
  if (how == "no_memory") {
    no_memory = true;
    try {
      gemm(context, 1.0, A.shared(), B.shared(), 1.0, C.shared());
    } catch (const Error&) {
    }
    no_memory = false;
    return;
  }
  if (how == "slow") {  // slow, but still reports progress
    const auto start = Clock::now();
    while (seconds_since(start) < 1.6 * timeout) context.watch().progress();
    gemm(context, 1.0, A.shared(), B.shared(), 1.0, C.shared());
    return;
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(2 * timeout));  // "hangs"
}

/// Whether the other ranks behave as they should.
bool ends_well(std::string_view how, Context& context, Matrix& A, Matrix& B, Matrix& C) {
  const auto multiply = [&] { gemm(context, 1.0, A.shared(), B.shared(), 1.0, C.shared()); };
  if (how == "slow") return refused(multiply).empty() && C.is(13);
  const auto again = [&] {
    for (;;) multiply();
  };
  const auto start = Clock::now();
  const std::string text = how == "killed_inside" ? refused(again) : refused(multiply);
  const double took = seconds_since(start);
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (how == "no_memory")
    return has("rank 0 of 3: no memory is left") && C.is(1) && refused(multiply) == text;
  bool well = has("rank 0 of 3 is missing (no answer within 1 s; process ") &&
              has(how == "hangs" ? " runs" : " has ended") && took < 5 * timeout;
  if (how != "killed_inside") well &= C.is(1);
  well &= refused(multiply) == text;  // a lost context stays lost
  if (!well) std::printf("%s, after %.1f s\n", text.c_str(), took);
  return well;
}

}  // namespace

/// missing HOW
int main(int argc, char** argv) {
  const std::string_view how = argv[1];
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const ContextOptions options{.grid = {1, 3}, .products = {.depth = 2}, .timeout = timeout};
  bool well = true;
  if (how != "no_context") {
    Context context(MPI_COMM_WORLD, options);
    Matrix A, B, C;
    if (rank == 0) {
      go_missing(how, context, A, B, C);
    } else {
      well = ends_well(how, context, A, B, C);
    }
  } else if (rank == 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(2 * timeout));
  } else {
    const std::string text = refused([&] { Context(MPI_COMM_WORLD, options); });
    well = text.find("did not join the new context (within 2 s)") != std::string::npos;
  }
  if (rank > 0) std::printf("rank %d is %s\n", rank, well ? "right" : "wrong");
  std::fflush(stdout);
  _exit(0);  // MPI_Finalize would wait for the missing process
}
