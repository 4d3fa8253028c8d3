// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Started by mpirun: times of n x n products distributed over GPUs, compared with one GPU in the same run.
// Measures each type, panel depth and number of NCCL thread blocks. Also prints the share of the message time
// that is hidden.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <sstream>
#include <string>

#include "distributed/mpi/agreement.hpp"
#include "distributed/nccl/device.hpp"
#include "rooftile/cuda_native.hpp"
#include "rooftile/error.hpp"
#include "tests/distributed/gpu_case.hpp"

namespace {

using namespace rooftile;
using namespace rooftile::distributed;

constexpr int repetitions = 5;

/// Device memory with numbers from -1 to 1. The numbers repeat.
template <class T>
class Random {
 public:
  explicit Random(Index elements) {
    constexpr Index some = Index{1} << 22;
    cuda_native::check(cudaMalloc(&memory_, static_cast<std::size_t>(elements) * sizeof(T)), "allocate");
    static const std::vector<T> numbers = [] {
      std::mt19937 engine(1);
      std::vector<T> all(some);
      for (T& x : all) x = T(static_cast<float>(engine() % 65536) / 32768.0F - 1.0F);
      return all;
    }();
    for (Index i = 0; i < elements; i += some - 77) {
      const auto bytes = static_cast<std::size_t>(std::min(some - 77, elements - i)) * sizeof(T);
      cuda_native::check(cudaMemcpy(data() + i, numbers.data(), bytes, cudaMemcpyHostToDevice), "copy");
    }
  }
  ~Random() { cudaFree(memory_); }
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  T* data() const { return static_cast<T*>(memory_); }

 private:
  void* memory_ = nullptr;
};

/// The median of the slowest process's time in seconds. Collective.
template <class F>
double seconds_of(const F& f) {
  std::vector<double> all;
  for (int i = 0; i < repetitions + 1; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = std::chrono::steady_clock::now();
    f();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i > 0) all.push_back(seconds);  // the first call is the warm-up
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

/// A hash of the first elements of C.
template <class T>
std::uint64_t bits_of(const T* c, Index elements) {
  std::vector<T> some(static_cast<std::size_t>(std::min<Index>(elements, Index{1} << 20)));
  cuda_native::check(cudaMemcpy(some.data(), c + (elements - static_cast<Index>(some.size())),
                                some.size() * sizeof(T), cudaMemcpyDeviceToHost),
                     "copy");
  Fingerprint mixed;
  mixed.add_bytes(some.data(), some.size() * sizeof(T));
  return mixed.value();
}

/// The parameters of one output line.
struct Line {
  Index n, depth;
  int max_ctas;
};

/// Times of one size and type on one GPU.
struct Single {
  double whole, part;  ///< seconds: of the whole product, and of one process's part
};

Grid grid_of(int processes) {
  return processes == 4 ? Grid{2, 2} : Grid{1, processes};
}

/// Prints a line.
/// @param single  times on one GPU; measured if empty
template <class T>
void time_line(const char* name, const Line& line, CudaEngine engine, ComputeMode math,
               std::optional<Single>& single) {
  const auto [n, depth, max_ctas] = line;
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const Grid grid = grid_of(processes);
  const Layout layout = block_cyclic(n, n, 256, 256);
  const Index rows = layout.rows.held(grid.rows, rank / grid.cols),
              cols = layout.cols.held(grid.cols, rank % grid.cols);
  const GemmOptions options{.math = math};
  const Scalar<T> one(1), zero(0);
  if (!single) {
    const Random<T> a(n * n), b(n * n), c(n * n);
    const auto product = [&](Index m, Index columns) {
      cuda_native::gemm(nullptr, one, column_major<const T>(a.data(), m, n),
                        column_major<const T>(b.data(), n, columns), zero, column_major(c.data(), m, columns),
                        options);
      cuda_native::check(cudaStreamSynchronize(nullptr), "wait");
    };
    const double whole = seconds_of([&] {
      if (rank == 0) product(n, n);
    });
    single = {whole, seconds_of([&] { product(rows, cols); })};
  }
  const Random<T> a(rows * cols), b(rows * cols), c(rows * cols);
  const auto shared = [&](const Random<T>& x) {
    return DistributedMatrix<T>(layout, column_major(x.data(), rows, cols));
  };
  CudaContext context(
      MPI_COMM_WORLD,
      {.grid = grid, .products = {.workspace = std::size_t{24} << 30, .depth = depth}, .timeout = 30},
      {.engine = engine, .max_ctas = max_ctas});
  const auto product = [&] { gemm(context, nullptr, one, shared(a), shared(b), zero, shared(c), options); };
  const double time = seconds_of(product);
  const std::uint64_t bits = bits_of(c.data(), rows * cols);
  product();
  const bool same = bits == bits_of(c.data(), rows * cols);
  CudaContext::Device& device = context.on_device();
  device.exchanges = false;
  const double panels = seconds_of(product);
  device.exchanges = true, device.multiplies = false;
  const double messages = seconds_of(product);
  const Plan plan =
      explain_cuda<T>(grid, shared(a), shared(b), shared(c), context.processes().options().products);
  if (rank > 0) return;
  const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  std::printf("%-5s %5lld %-8s %5lld %4d %8.2f %8.2f %8.2f %8.2f %8.2f %8.1f %6.3f %6.2f  %s %.2f GB\n", name,
              static_cast<long long>(n), std::string(to_string(context.engine())).c_str(),
              static_cast<long long>(plan.depth), max_ctas, 1e3 * single->whole, 1e3 * single->part,
              1e3 * panels, 1e3 * messages, 1e3 * time, 1e-12 * flops / time,
              single->whole / (processes * time), 1 - (time - panels) / messages, same ? "same" : "OTHER",
              1e-9 * static_cast<double>(plan.workspace));
  std::fflush(stdout);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

/// Prints the lines of an argument: TYPE:N:DEPTH,DEPTH…[:CTAS,CTAS…].
void time_word(const std::string& word, CudaEngine engine) {
  std::vector<std::string> parts = split(word, ':');
  parts.resize(4, "0");
  std::optional<Single> single;
  for (const std::string& depth : split(parts[2], ',')) {
    for (const std::string& ctas : split(parts[3], ',')) {
      const Line line{std::atoi(parts[1].c_str()), std::atoi(depth.c_str()), std::atoi(ctas.c_str())};
      const char* const name = parts[0].c_str();
      if (parts[0] == "fp64") time_line<double>(name, line, engine, ComputeMode::automatic, single);
      if (parts[0] == "fp32") time_line<float>(name, line, engine, ComputeMode::automatic, single);
      if (parts[0] == "tf32") time_line<float>(name, line, engine, ComputeMode::tf32, single);
      if (parts[0] == "bf16") time_line<bfloat16>(name, line, engine, ComputeMode::automatic, single);
    }
  }
}

}  // namespace

/// gpu_times ENGINE TYPE:N:DEPTH,DEPTH…[:CTAS,CTAS…]…: depth 0 is the default, 0 CTAs leave the choice to
/// NCCL.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (test::take_gpu(rank, 1)) {
    if (rank == 0) {
      std::printf(
          "milliseconds, medians of %d: single: all on one GPU; part: what each computes, on one GPU; "
          "panels: the\n"
          "same in panels; messages alone; shared: by all. share: of so many times the single rate\n"
          "type      n engine   depth ctas   single     part   panels messages   shared  TFLOP/s  share "
          "hidden\n",
          repetitions);
    }
    try {
      for (int i = 2; i < argc; ++i) time_word(argv[i], test::engine_named(argv[1]));
    } catch (const Error& error) {
      std::printf("rank %d: %s\n", rank, error.what());
      std::fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return 0;
}
